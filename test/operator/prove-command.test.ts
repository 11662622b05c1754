// The command line of `npm run prove`, and what Ctrl-C does.
import { describe, expect, it } from 'vitest'
import { readArguments } from '../../infra/prove/arguments.ts'
import { openInterruption } from '../../infra/prove/interruption.ts'

describe('readArguments', () => {
  it('takes a stage, an account, and an address without its last slash', () => {
    const argv = ['live', '--email', 'ada@example.com', '--url', 'http://127.0.0.1:4566/live/']
    expect(readArguments(argv)).toEqual({
      stage: 'live',
      email: 'ada@example.com',
      url: 'http://127.0.0.1:4566/live',
      only: '',
    })
    expect(readArguments(['--help'])).toBeUndefined()
  })

  it.each([
    [[], 'Name a stage: npm run prove -- live --email EMAIL'],
    [['live'], 'Name an account with --email. To create one: npm run operator -- user create --stage live'],
    [['live', 'dev', '--email', 'a@b.example'], 'Name one stage: dev is too much.'],
    [['live', '--email', 'a@b.example', '--url', 'b.example'], '--url: must begin with http:// or https://'],
    [['live', '--tables'], "Unknown option '--tables'"],
  ])('refuses %j', (argv, message) => {
    expect(() => readArguments(argv)).toThrow(message)
  })
})

describe('openInterruption', () => {
  it('ends at once for a second Ctrl-C, and not for a signal that npm has sent on', () => {
    let nowMs = 0
    const acts: string[] = []
    const { request, isRequested } = openInterruption({
      clock: () => nowMs,
      onFirst: () => acts.push('first'),
      onSecond: () => acts.push('second'),
    })
    expect(isRequested()).toBe(false)
    request()
    request()
    expect([isRequested(), acts]).toEqual([true, ['first']])
    nowMs = 1_001
    request()
    expect(acts).toEqual(['first', 'second'])
  })
})
