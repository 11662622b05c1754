// What `npm start` checks before it starts anything: the Node it runs on and its options.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { readOptions } from '../../infra/local/start-options.ts'

describe('a Node that is too old', () => {
  it('is told so in words, before anything that it cannot read', async () => {
    const checkFile = new URL('../../infra/local/check-node.cjs', import.meta.url).pathname
    const older = `Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })`
    const child = spawn(process.execPath, ['-e', `${older}; require(${JSON.stringify(checkFile)})`])
    const [words, [code]] = await Promise.all([child.stderr.toArray(), once(child, 'close')])
    expect(words.join('')).toContain('needs Node 24 or newer, and this is Node 20.1.0')
    expect(code).toBe(1)
  })
})

describe('the options of npm start', () => {
  it('have defaults', () => {
    expect(readOptions([])).toEqual({
      port: 3000,
      stateFolder: '.local',
      empty: false,
      reset: false,
      limitScale: undefined,
      strictAddresses: false,
      faults: undefined,
      help: false,
    })
  })

  it.each([
    [['--port', 'http'], '--port'],
    [['--port', '70000'], '--port'],
    [['--limit-scale', '0'], '--limit-scale'],
    [['--limit-scale', 'much'], '--limit-scale'],
    [['--faults', 'many'], '--faults'],
    [['--state'], '--state'],
    [['--state', ''], '--state'],
    [['extra'], 'extra'],
  ])('are refused by name: %j', (options, named) => {
    expect(() => readOptions(options)).toThrow(named)
  })
})
