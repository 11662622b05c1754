// The validation of the options of `npm start`.
import { describe, expect, it } from 'vitest'
import { readOptions } from '../../infra/local/start-options.ts'

describe('readOptions', () => {
  it('gives every option a default', () => {
    expect(readOptions([])).toEqual({
      port: 3000,
      hosts: [],
      stateFolder: '.local',
      empty: false,
      importFile: undefined,
      reset: false,
      limitScale: undefined,
      strictAddresses: false,
      logLevel: 'info',
      help: false,
    })
  })

  it.each([
    [['--port', 'http'], '--port'],
    [['--port', '70000'], '--port'],
    [['--host', 'http://example.com'], '--host'],
    [['--host', 'example.com:80'], '--host'],
    [['--log-level', 'loud'], '--log-level'],
    [['--limit-scale', '0'], '--limit-scale'],
    [['--limit-scale', 'much'], '--limit-scale'],
    [['--import', ''], '--import'],
    [['--state'], '--state'],
    [['--state', ''], '--state'],
    [['extra'], 'extra'],
  ])('rejects an invalid option and names it: %j', (options, name) => {
    expect(() => readOptions(options)).toThrow(name)
  })
})
