// The log of the local run: its levels.
import { expect, it, onTestFinished, vi } from 'vitest'
import { openLog } from '../../infra/local/log.ts'
import { LEVELS, type Level } from '../../shared/runtime/parameters.ts'

it.each<[Level, Level[]]>([
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
])('the log with level %s has the levels %j', (level, expected) => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => stderr.mockRestore())
  const log = openLog(level)
  for (const level of LEVELS) log('a line', level)
  const lines = stderr.mock.calls.map(([text]) => String(text).replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /, ''))
  expect(lines).toEqual(expected.map(level => `${level} a line\n`))
})
