// Functions of the template on this machine: events, answers, errors, and concurrency.
import { writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FunctionError, RequestTooLargeError } from '../../infra/local/lambda/functions.ts'
import { MAX_THREADS } from '../../infra/local/lambda/pool.ts'
import { createFunction } from './function-world.ts'

describe('an invocation', () => {
  it('returns the result of the handler', async () => {
    const { call } = createFunction('return { got: event, none: undefined }')
    expect(await call({ a: [1, 'ü'] })).toEqual({ got: { a: [1, 'ü'] } })
  })

  it('gets exactly the environment of the template and the local run', async () => {
    const Environment = { Variables: { STAGE: 'test', REGION: { Ref: 'AWS::Region' } } }
    const { call } = createFunction('return process.env', { Environment })
    expect(await call()).toEqual({
      STAGE: 'test',
      REGION: 'eu-west-1',
      AWS_REGION: 'eu-west-1',
      AWS_LAMBDA_FUNCTION_NAME: 'F',
      AWS_ACCESS_KEY_ID: 'F',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_SESSION_TOKEN: expect.any(String),
    })
  })

  it('gets a context with its own request id and the remaining time', async () => {
    const { call } = createFunction(
      'return [context.awsRequestId, context.functionName, context.getRemainingTimeInMillis()]',
      { Timeout: 20 },
    )
    const [first, second] = [await call(), await call()]
    expect(first).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), 'F', expect.any(Number)])
    expect(Array.isArray(first) && first[2]).toBeGreaterThan(10_000)
    expect(Array.isArray(first) && first[0]).not.toBe(Array.isArray(second) && second[0])
  })

  it('rejects with a FunctionError with the name and message of the thrown error', async () => {
    const { call, lines } = createFunction('throw new RangeError("too far")')
    const error = await call().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(FunctionError)
    expect(error).toMatchObject({ errorType: 'RangeError', message: 'too far' })
    expect(lines.join('\n')).toContain('too far')
  })

  it('rejects events and answers above 6 MB, as Lambda does', async () => {
    const { call } = createFunction('return "x".repeat(event.length)')
    expect(await call({ length: 6_000_000 })).toHaveLength(6_000_000)
    await expect(call({ length: 6_300_000 })).rejects.toMatchObject({
      errorType: 'Function.ResponseSizeTooLarge',
    })
    await expect(call({ text: 'x'.repeat(6_300_000) })).rejects.toBeInstanceOf(RequestTooLargeError)
  })

  it('writes console output to the log, line by line', async () => {
    const { call, lines } = createFunction('console.log("one\\ntwo"); console.error("three"); return 1')
    await call()
    expect(lines).toEqual(['F one', 'F two', 'F three'])
  })

  it('runs a .js file without a package.json as CommonJS', async () => {
    const { folder, call } = createFunction('', { Handler: 'bundle.handler' })
    writeFileSync(join(folder, 'bundle.js'), 'exports.handler = async () => require("node:path").sep')
    writeFileSync(join(folder, '..', 'package.json'), '{ "type": "module" }')
    expect(await call()).toBe(sep)
  })

  it('reports why a function cannot be loaded', async () => {
    const { call } = createFunction('', { Handler: 'missing.handler' })
    await expect(call()).rejects.toThrow(/no missing\.js/)
  })
})

describe('the pool of a function', () => {
  it('limits how many events run at the same time', async () => {
    const { call } = createFunction(
      'const from = Date.now(); await new Promise(done => setTimeout(done, 100)); return [id, from, Date.now()]',
      { Timeout: 10 },
      'const id = Math.random()',
    )
    const runs = (await Promise.all(Array.from({ length: 20 }, () => call()))) as [number, number, number][]
    expect(new Set(runs.map(([id]) => id)).size).toBe(MAX_THREADS)
    const atOnce = runs.map(([, from]) => runs.filter(([, start, end]) => start <= from && from < end).length)
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(MAX_THREADS)
  })

  it('rejects running and waiting events when it is stopped', async () => {
    const { functions, call } = createFunction('await new Promise(() => setInterval(() => {}, 1_000))')
    const calls = Promise.allSettled(Array.from({ length: 10 }, () => call()))
    await sleep(50)
    await functions.stop()
    expect((await calls).map(({ status }) => status)).toEqual(Array(10).fill('rejected'))
    await expect(call()).rejects.toMatchObject({ errorType: 'Runtime.Stopped' })
  })
})
