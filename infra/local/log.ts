// The log of the local run: one line per entry with time and level, to stderr.
import { LEVELS, type Level } from '../../shared/runtime/parameters.ts'

/** The level is `info` by default. */
export type Log = (line: string, level?: Level) => void

export function openLog(minimum: Level): Log {
  return (line, level = 'info') => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(minimum)) return
    process.stderr.write(`${new Date().toISOString()} ${level} ${line}\n`)
  }
}
