// Rules about code that belongs in one place; a failure says what to do instead.
import { describe, expect, it } from 'vitest'
import { KINDS } from '../../shared/table/kinds.ts'
import { type Source, sources } from './sources.ts'

function isComment(line: string): boolean {
  return /^\s*(\/\/|\/?\*)/.test(line)
}

function linesWith(files: Source[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, n) =>
        pattern.test(line) && !isComment(line) ? [`${path}:${n + 1}: ${line.trim()}`] : [],
      ),
  )
}

const designFiles = sources.map(({ path }) => path).filter(path => path.startsWith('shared/table/design'))
/** Files of shared/ with a reason to wait. */
const WAITING = [
  // A time-out.
  'webhooks/commands/request',
  // Conflicts with other writers, and a table that is busy.
  ...['table/retrying', 'table/retry-on-conflict', 'webhooks/commands/finalise'],
  // Changes that are not visible as a whole yet.
  'feed/changes',
  // Workers.
  'posts/commands/announce',
  'webhooks/commands/deliver',
].map(name => `shared/${name}.ts`)

type Rule = { rule: string; pattern: RegExp; places: string[]; instead: string }

/** What of shared/ and functions/ may contain a pattern only in these places. */
const RULES: Rule[] = [
  {
    rule: 'keys of the table are built only in shared/table/design/',
    pattern: new RegExp(`['"\`](?:${Object.keys(KINDS).join('|')})#|[^\`]#\\$\\{`),
    // The limiter's cache of refusals has keys of the same form.
    places: [...designFiles, 'shared/limits/limiter.ts'],
    instead:
      'Add a function for this key to shared/table/design/, and a row to the chart in shared/table/kinds.ts.',
  },
  {
    rule: 'the environment is read only by the runtime',
    pattern: /process\.env/,
    places: [
      'shared/runtime/runtime.ts',
      // It opens no runtime.
      'functions/authorize-tier.ts',
      // Lambda changes the variable of the trace with each invocation.
      'shared/aws/client.ts',
    ],
    instead: 'Declare the variable in shared/runtime/environment.ts and read it from the runtime.',
  },
  {
    rule: 'the time is read only by the runtime',
    pattern: /Date\.now|new Date\(/,
    // A signature has the time of its request, whatever the clock of a test says.
    places: ['shared/runtime/runtime.ts', 'shared/http/time.ts', 'shared/aws/client.ts'],
    instead: 'Take `nowMs` as an argument. shared/http/time.ts formats and parses times.',
  },
  {
    rule: 'a wait is only where a request is right and waits for what others do, never for what a client has sent',
    pattern: /timers\/promises|setTimeout\(/,
    // The check of a release waits for a new deployment of the gateway.
    places: [...WAITING, 'functions/check-release.ts'],
    instead: 'Answer without waiting: refuse what cannot be verified now, or try again in a worker.',
  },
  {
    rule: 'a client of AWS is of shared/aws, for what it can call',
    // Types cost nothing. SES has another protocol.
    pattern: /^(?!import type).*@aws-sdk\/client-/,
    places: ['shared/mail/transport.ts'],
    instead: 'Call `openClient` of shared/aws/client.ts: the SDK takes twice the CPU time for a call.',
  },
]

describe('in shared/ and functions/', () => {
  it.each(RULES)('$rule', ({ pattern, places, instead }) => {
    const others = sources.filter(({ path }) => /^(shared|functions)\//.test(path) && !places.includes(path))
    expect(linesWith(others, pattern), instead).toEqual([])
  })
})

describe('Unicode normalization', () => {
  it('is done only in shared/http/normalize.ts', () => {
    const files = sources.filter(({ path }) => path !== 'shared/http/normalize.ts')
    expect(
      linesWith(files, /\.(?:normalize|localeCompare)\(/),
      'Call `normalize` of shared/http/normalize.ts: ICU takes quadratic time for many marks on one letter.',
    ).toEqual([])
  })
})

describe('arrays', () => {
  it('are not spread into the arguments of a call, which may overflow the stack', () => {
    const spread =
      /\b(?:push|unshift|splice|concat|max|min|fromCharCode|fromCodePoint)\(\s*(?:[^(){}]*,\s*)?\.\.\./g
    const wrong = sources.flatMap(({ path, text }) =>
      [...text.matchAll(spread)].map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`),
    )
    expect(wrong, 'Push in a loop, or reduce: 130,000 arguments overflow the stack.').toEqual([])
  })
})
