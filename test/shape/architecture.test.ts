// Checks which files may import which. The message of a failure says what to do instead.
import { describe, expect, it } from 'vitest'
import { sources, withImports } from './sources.ts'

/** Files that only declare something, and that the stack and the local run may therefore import. */
const DECLARATIONS = [
  /^shared\/service\/[^/]+\.ts$/,
  /^shared\/metrics\/metrics\.ts$/,
  /^shared\/[^/]+\/contract\.ts$/,
  /^shared\/http\/[^/]+\.ts$/,
  /^shared\/events\/(?:catalogue|message)\.ts$/,
  /^shared\/runtime\/parameters\.ts$/,
  /^shared\/table\/(?:design(?:\/[a-z]+)?|kinds)\.ts$/,
]
const declarations = withImports(
  sources.map(({ path }) => path).filter(path => DECLARATIONS.some(pattern => pattern.test(path))),
)

/** The operator's tools and the first start use the stores; these files run functions. */
const usesStores =
  /^infra\/(operator\/|local\/(seed|import-content|access|functions|queues|poller|dynamodb\/table)\.ts)/

/** One domain: comments read posts, and all use categories. */
const KNOT = ['posts', 'categories', 'comments']

/** Slices that other slices may import. */
const LOWER_SLICES = ['site', 'accounts']

/** It shows what all slices of public content show. */
const UPPER_SLICES = ['changes']

/** A slice is a room with a contract. These import no slice but the lower ones, and none of each other. */
const OTHER_SLICES = sources
  .flatMap(({ path }) => /^shared\/(\w+)\/contract\.ts$/.exec(path)?.[1] ?? [])
  .filter(slice => ![...LOWER_SLICES, ...KNOT, ...UPPER_SLICES].includes(slice))

/** The rooms of shared/ from bottom to top: a room may import the rooms before it. */
const ORDER = [
  ['http'],
  ['metrics'],
  ['aws'],
  ['table'],
  ['cache'],
  ['feed'],
  ['lists'],
  ['slugs'],
  ['limits'],
  ['events'],
  ['search'],
  ['runtime'],
  ['site'],
  ['mail'],
  ['accounts'],
  OTHER_SLICES,
  KNOT,
  UPPER_SLICES,
  ['service'],
  ['lambda'],
  ['handlers'],
  ['openapi'],
]

/** The handlers of all slices are a room of their own: they join a slice with what runs it. */
function roomOf(path: string): string {
  return path.endsWith('/handlers.ts') ? 'handlers' : (path.split('/')[1] ?? '')
}

function floorOf(path: string): number {
  return ORDER.findIndex(rooms => rooms.includes(roomOf(path)))
}

/** Whether `path` may import `other`: a file of its own room, of a room below, or of the same domain. */
function isDownward(path: string, other: string): boolean {
  const [room, otherRoom] = [roomOf(path), roomOf(other)]
  if (room === otherRoom || (KNOT.includes(room) && KNOT.includes(otherRoom))) return true
  return floorOf(other) >= 0 && floorOf(other) < floorOf(path)
}

type Rule = { name: string; files: RegExp; mayImport: (path: string) => boolean; instead: string }

const RULES: Rule[] = [
  {
    name: 'shared/ imports only shared/',
    files: /^shared\//,
    mayImport: path => path.startsWith('shared/'),
    instead: 'Move what you need into shared/, or take it as an argument.',
  },
  {
    name: 'a function imports only shared/, never another function',
    files: /^functions\//,
    mayImport: path => path.startsWith('shared/'),
    instead: 'Move code that two functions need into a slice of shared/.',
  },
  {
    name: 'the stack imports only declarations',
    files: /^infra\/[^/]+\.ts$/,
    mayImport: path =>
      /^infra\/[^/]+\.ts$/.test(path) || declarations.has(path) || /^[^/]+\.json$/.test(path),
    instead:
      'Declare what the stack needs in shared/service/ or a contract.ts, and name functions by their paths.',
  },
  {
    name: 'the local run takes all connections from declarations',
    files: /^infra\/local\//,
    mayImport: path =>
      path.startsWith('infra/local/') ||
      declarations.has(path) ||
      ['package.json', 'infra/names.ts'].includes(path),
    instead: 'Declare it in shared/service/, where the stack reads it as well.',
  },
]

describe('imports', () => {
  it.each(RULES)('follow the rule: $name', ({ files, mayImport, instead }) => {
    const wrong = sources
      .filter(({ path }) => files.test(path) && !usesStores.test(path))
      .flatMap(({ path, imports }) =>
        imports.filter(imported => !mayImport(imported)).map(imported => `${path} imports ${imported}`),
      )
    expect(wrong, instead).toEqual([])
  })

  it('of declarations are free of clients and servers', () => {
    const wrong = sources
      .filter(({ path }) => declarations.has(path))
      .flatMap(({ path, packages }) =>
        packages
          .filter(name => !['zod/mini', 'zod/locales', 'node:crypto', 'node:url'].includes(name))
          .map(name => `${path} imports ${name}`),
      )
    expect(
      wrong,
      'The stack, the document and the local run read declarations. Move code with effects to another file.',
    ).toEqual([])
  })
})

describe('rooms of shared/', () => {
  it('are each listed once in ORDER', () => {
    const rooms = new Set(
      sources.filter(({ path }) => path.startsWith('shared/')).map(({ path }) => roomOf(path)),
    )
    const advice =
      'Add the room to ORDER. A slice needs no line: its contract.ts makes it one of OTHER_SLICES.'
    expect(ORDER.flat().toSorted(), advice).toEqual([...rooms].toSorted())
  })

  it('import only rooms below them', () => {
    const wrong = sources
      .filter(({ path }) => path.startsWith('shared/'))
      .flatMap(({ path, imports }) =>
        imports
          .filter(imported => imported.startsWith('shared/') && !isDownward(path, imported))
          .map(imported => `${path} imports ${imported}`),
      )
    const advice = `Move the shared code into a lower room, or take it as an argument. A slice that is one domain with posts is
      added to KNOT, and one that other slices need to LOWER_SLICES and ORDER.`
    expect(wrong, advice).toEqual([])
  })
})
