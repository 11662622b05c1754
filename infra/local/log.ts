// The log of the local run: one line each, the time first, on stderr or in a file.
import { appendFileSync } from 'node:fs'

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

/** `info` unless it says otherwise. */
export type Log = (line: string, level?: Level) => void

/** Throws in words when the file cannot be written to. */
export function openLog({ file, least }: { file: string | undefined; least: Level }): Log {
  const write = file === undefined ? (text: string) => process.stderr.write(text) : toFile(file)
  const leastIndex = LEVELS.indexOf(least)
  return (line, level = 'info') => {
    if (LEVELS.indexOf(level) >= leastIndex) write(`${new Date().toISOString()} ${level} ${line}\n`)
  }
}

/** Functions log JSON with a level. Any other line is printed by Node for an uncaught error, so its level is `error`. */
export function levelOf(line: string): Level {
  const [, named] = /^\{"level":"(\w+)"/.exec(line) ?? []
  return LEVELS.find(level => level === named) ?? 'error'
}

function toFile(file: string): (text: string) => void {
  const write = (text: string) => appendFileSync(file, text, { mode: 0o600 })
  try {
    write('')
  } catch (error) {
    throw new Error(`The log cannot be written to ${file}: ${error instanceof Error ? error.message : error}`)
  }
  return write
}
