// The log of the local run: one line per entry with time and level, to stderr or a file.
import { appendFileSync } from 'node:fs'

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

/** The level is `info` by default. */
export type Log = (line: string, level?: Level) => void

/** Throws an error with a readable message if the file is not writable. Lines that fail later are dropped. */
export function openLog({ file, level: minimum }: { file: string | undefined; level: Level }): Log {
  const write = file === undefined ? (text: string) => process.stderr.write(text) : toFile(file)
  const minimumIndex = LEVELS.indexOf(minimum)
  return (line, level = 'info') => {
    if (LEVELS.indexOf(level) >= minimumIndex) write(`${new Date().toISOString()} ${level} ${line}\n`)
  }
}

function toFile(file: string): (text: string) => void {
  const write = (text: string) => appendFileSync(file, text, { mode: 0o600 })
  try {
    write('')
  } catch (error) {
    const why = error instanceof Error ? error.message : error
    throw new Error(`Cannot write the log to ${file} (${why}). Choose another file: --log FILE.`)
  }
  let isDropping = false
  return text => {
    try {
      write(text)
      isDropping = false
    } catch (error) {
      if (!isDropping) report(file, error)
      isDropping = true
    }
  }
}

function report(file: string, error: unknown): void {
  const why = error instanceof Error ? error.message : error
  const advice = 'Free some space: lines of the log are dropped until then.'
  process.stderr.write(`Cannot write to ${file} (${why}). ${advice}\n`)
}
