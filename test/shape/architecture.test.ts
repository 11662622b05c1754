// The rules of the house, run on every source file; a failure says what to do instead.
import { describe, expect, it } from 'vitest'
import { KINDS } from '../../shared/table/kinds.ts'
import { type Source, sources, withImports } from './sources.ts'

function isDeclaration({ path }: Source): boolean {
  return /^shared\/(service\/(api|needs|workers)|[^/]+\/contract|http\/[^/]+|events\/(catalogue|message)|runtime\/parameters|table\/(design(\/[a-z]+)?|kinds))\.ts$/.test(
    path,
  )
}

const declarations = withImports(sources.filter(isDeclaration).map(({ path }) => path))

/** The operator, and the content of a first start, use the stores as a function does. */
const usesStores = /^infra\/(operator\/|local\/(seed|demo|dynamodb\/local-table)\.ts)/

/** Rooms of shared/, each above all that stand before it. */
const ORDER = [
  ['http'],
  ['table'],
  ['lists'],
  ['slugs'],
  ['limits'],
  ['events'],
  ['runtime'],
  ['site'],
  ['mail'],
  ['accounts'],
  ['contact', 'tickets', 'newsletter', 'webhooks'],
  ['posts', 'categories', 'comments', 'search'],
  ['lambda'],
  ['openapi'],
  ['service'],
]
/** One domain: a post is committed with its search index and its threads, and all three name its categories. */
const KNOT = ['posts', 'categories', 'comments', 'search']

function roomOf(path: string): string {
  return path.split('/')[1] ?? ''
}

function floorOf(path: string): number {
  return ORDER.findIndex(rooms => rooms.includes(roomOf(path)))
}

/** Whether `path` may import `other`: a file of its own room, one of a room below, or one of the same domain. */
export function isDownward(path: string, other: string): boolean {
  const [room, otherRoom] = [roomOf(path), roomOf(other)]
  if (room === otherRoom || (KNOT.includes(room) && KNOT.includes(otherRoom))) return true
  return floorOf(other) >= 0 && floorOf(other) < floorOf(path)
}

type Rule = { who: string; files: RegExp; may: (path: string) => boolean; instead: string }

const RULES: Rule[] = [
  {
    who: 'shared/ imports shared/ only',
    files: /^shared\//,
    may: path => path.startsWith('shared/'),
    instead: 'Move what you need into shared/, or take it as an argument.',
  },
  {
    who: 'a function imports shared/ only, never another function',
    files: /^functions\//,
    may: path => path.startsWith('shared/'),
    instead: 'What two functions need belongs to a slice of shared/.',
  },
  {
    who: 'the stack imports declarations only',
    files: /^infra\/[^/]+\.ts$/,
    may: path => /^infra\/[^/]+\.ts$/.test(path) || declarations.has(path) || /^[^/]+\.json$/.test(path),
    instead:
      'Say what the stack must know in shared/service/ or a contract.ts; name a function by its path and never import it.',
  },
  {
    who: 'the local run takes its wiring from the template',
    files: /^infra\/local\//,
    may: path => path.startsWith('infra/local/') || declarations.has(path) || path === 'package.json',
    instead: 'Read it from the synthesized template, which is the only wiring.',
  },
]

function isComment(line: string): boolean {
  return /^\s*(\/\/|\/?\*)/.test(line)
}

function linesWith(files: Source[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        pattern.test(line) && !isComment(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [],
      ),
  )
}

function inSharedAndFunctions(allowed: string[]): Source[] {
  return sources.filter(({ path }) => /^(shared|functions)\//.test(path) && !allowed.includes(path))
}

describe('imports', () => {
  it.each(RULES)('$who', ({ files, may, instead }) => {
    const wrong = sources
      .filter(({ path }) => files.test(path) && !usesStores.test(path))
      .flatMap(({ path, imports }) =>
        imports.filter(each => !may(each)).map(each => `${path} imports ${each}`),
      )
    expect(wrong, instead).toEqual([])
  })

  it('of zod are of its small form', () => {
    expect(
      sources.filter(({ packages }) => packages.includes('zod')).map(({ path }) => path),
      "`import * as z from 'zod/mini'`: the large form costs every cold start twice as much.",
    ).toEqual([])
  })

  it('of declarations bring neither a client nor a server along', () => {
    const wrong = sources
      .filter(({ path }) => declarations.has(path))
      .flatMap(({ path, packages }) =>
        packages
          .filter(name => !['zod/mini', 'zod/locales', 'node:crypto'].includes(name))
          .map(name => `${path} imports ${name}`),
      )
    expect(
      wrong,
      'The stack, the document and the local run read declarations: move what does something to a file beside it.',
    ).toEqual([])
  })
})

describe('rooms of shared/', () => {
  it('are all in the order, each once', () => {
    const rooms = new Set(
      sources.filter(({ path }) => path.startsWith('shared/')).map(({ path }) => roomOf(path)),
    )
    expect(ORDER.flat().toSorted(), 'Give the room its place in ORDER.').toEqual([...rooms].toSorted())
  })

  it('import only rooms below them', () => {
    const wrong = sources
      .filter(({ path }) => path.startsWith('shared/'))
      .flatMap(({ path, imports }) =>
        imports
          .filter(each => each.startsWith('shared/') && !isDownward(path, each))
          .map(each => `${path} imports ${each}`),
      )
    expect(wrong, 'Move what both need into a room below, or take it as an argument.').toEqual([])
  })

  it.each([
    ['an arrow upwards', 'shared/table/client.ts', 'shared/lists/list.ts'],
    ['an arrow to a room beside', 'shared/tickets/commands.ts', 'shared/webhooks/webhook.ts'],
    ['a room without a place', 'shared/posts/post.ts', 'shared/redirects/redirect.ts'],
  ])('may not have %s', (_what, path, other) => {
    expect(isDownward(path, other)).toBe(false)
  })
})

describe('keys of the table', () => {
  it('are put together in shared/table/design/ and nowhere else', () => {
    const designFiles = sources.map(({ path }) => path).filter(path => path.startsWith('shared/table/design'))
    // The limiter remembers refusals in memory under a name of this shape.
    const files = inSharedAndFunctions([...designFiles, 'shared/limits/limiter.ts'])
    const pattern = new RegExp(`['"\`](?:${Object.keys(KINDS).join('|')})#|[^\`]#\\$\\{`)
    expect(
      linesWith(files, pattern),
      'Write a function for this key in shared/table/design/, with its row in the chart of shared/table/design.ts, and call it.',
    ).toEqual([])
  })
})

describe('the world outside', () => {
  it('is asked for its environment in one place', () => {
    const withoutRuntime = ['functions/authorize-tier.ts', 'functions/openapi.ts']
    const files = inSharedAndFunctions(['shared/runtime/runtime.ts', ...withoutRuntime])
    expect(
      linesWith(files, /process\.env/),
      'Name the variable in shared/runtime/environment.ts and take it from the environment you are handed.',
    ).toEqual([])
  })

  it('is asked for the time in one place', () => {
    const files = inSharedAndFunctions(['shared/runtime/runtime.ts', 'shared/http/time.ts'])
    expect(
      linesWith(files, /Date\.now|new Date\(/),
      'Take `nowMs` as an argument; for words about a time there is shared/http/time.ts.',
    ).toEqual([])
  })
})

describe('the client of the queues', () => {
  it('is made in shared/events/sqs.ts, but for what knows the emulators', () => {
    const ofEmulators = /^infra\/(?:local\/|operator\/local-target\.ts$)/
    const files = sources.filter(({ path }) => path !== 'shared/events/sqs.ts' && !ofEmulators.test(path))
    expect(
      linesWith(files, /new SQSClient\(/),
      'Call `openSqs` of shared/events/sqs.ts: by itself the SDK goes to the host in the URL of a queue.',
    ).toEqual([])
  })
})

describe('normalisation', () => {
  it('is done in shared/http/normalize.ts and nowhere else', () => {
    const files = sources.filter(({ path }) => path !== 'shared/http/normalize.ts')
    expect(
      linesWith(files, /\.(?:normalize|localeCompare)\(/),
      'Call `normalize` of shared/http/normalize.ts: ICU takes quadratic time for the marks on one letter.',
    ).toEqual([])
  })
})

describe('arrays', () => {
  it('are not spread into the arguments of a call, which all stand on the stack', () => {
    const spread =
      /\b(?:push|unshift|splice|concat|max|min|fromCharCode|fromCodePoint)\(\s*(?:[^(){}]*,\s*)?\.\.\./g
    const wrong = sources.flatMap(({ path, text }) =>
      [...text.matchAll(spread)].map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`),
    )
    expect(wrong, 'Push in a loop, or reduce: 130,000 arguments overflow the stack of a function.').toEqual(
      [],
    )
  })
})
