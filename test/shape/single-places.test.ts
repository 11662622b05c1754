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

/** The sources of shared/ and functions/ without the files that may contain the pattern. */
function sharedAndFunctionsExcept(allowed: string[]): Source[] {
  return sources.filter(({ path }) => /^(shared|functions)\//.test(path) && !allowed.includes(path))
}

describe('keys of the table', () => {
  it('are built only in shared/table/design/', () => {
    const designFiles = sources.map(({ path }) => path).filter(path => path.startsWith('shared/table/design'))
    // The limiter's cache of refusals has keys of the same form.
    const files = sharedAndFunctionsExcept([...designFiles, 'shared/limits/limiter.ts'])
    const pattern = new RegExp(`['"\`](?:${Object.keys(KINDS).join('|')})#|[^\`]#\\$\\{`)
    expect(
      linesWith(files, pattern),
      'Add a function for this key to shared/table/design/, and a row to the chart in shared/table/kinds.ts.',
    ).toEqual([])
  })
})

describe('the environment', () => {
  it('is read only by the runtime', () => {
    // These three functions open no runtime.
    const withoutRuntime = ['authorize-tier', 'openapi', 'check-release'].map(name => `functions/${name}.ts`)
    // Lambda changes the variable of the trace with each invocation.
    const client = 'shared/aws/client.ts'
    const files = sharedAndFunctionsExcept(['shared/runtime/runtime.ts', client, ...withoutRuntime])
    expect(
      linesWith(files, /process\.env/),
      'Declare the variable in shared/runtime/environment.ts and read it from the runtime.',
    ).toEqual([])
  })
})

describe('the time', () => {
  it('is read only by the runtime', () => {
    // A signature has the time of its request, whatever the clock of a test says.
    const signing = 'shared/aws/client.ts'
    const files = sharedAndFunctionsExcept(['shared/runtime/runtime.ts', 'shared/http/time.ts', signing])
    expect(
      linesWith(files, /Date\.now|new Date\(/),
      'Take `nowMs` as an argument. shared/http/time.ts formats and parses times.',
    ).toEqual([])
  })
})

describe('a wait', () => {
  it('is only where a request is right and waits for what others do, never for what a client has sent', () => {
    const waiting = [
      // Time-outs.
      ...['lambda/run', 'webhooks/commands/request'],
      // Conflicts with other writers, and a table that is busy.
      ...['table/retrying', 'table/retry-on-conflict', 'webhooks/commands/finalise'],
      // Changes that are not visible as a whole yet.
      'feed/changes',
      // Workers.
      'posts/commands/announce',
      'webhooks/commands/deliver',
    ]
    // The check of a release waits for a new deployment of the gateway.
    const files = sharedAndFunctionsExcept([
      ...waiting.map(name => `shared/${name}.ts`),
      'functions/check-release.ts',
    ])
    expect(
      linesWith(files, /timers\/promises|setTimeout\(/),
      'Answer without waiting: refuse what cannot be verified now, or try again in a worker.',
    ).toEqual([])
  })
})

describe('a client of AWS', () => {
  it('is of shared/aws in shared/ and functions/, for what it can call', () => {
    // Types cost nothing. SES has another protocol.
    const others = ['shared/mail/transport.ts']
    expect(
      linesWith(sharedAndFunctionsExcept(others), /^(?!import type).*@aws-sdk\/client-/),
      'Call `openClient` of shared/aws/client.ts: the SDK takes twice the CPU time for a call.',
    ).toEqual([])
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
