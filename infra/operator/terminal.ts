// What a command shows on a terminal: failures, progress on stderr, and stored text that is safe to print.

/** Is printed without a stack: the message says what is wrong and what to do. */
export class OperatorError extends Error {}
/** A mistake in the command line, found before anything is opened or changed. */
export class UsageError extends OperatorError {}

/** `show` drops a text that follows too soon after the last one. */
export type Progress = { show: (text: string) => void; clear: () => void }
export type Screen = { isTTY?: boolean; write: (text: string) => unknown }

const ERASE_LINE = '\r\u001b[2K'

/** One changing line on a terminal, otherwise a line every few seconds. */
export function openProgress(screen: Screen, nowMs: () => number): Progress {
  const everyMs = screen.isTTY ? 100 : 5_000
  let lastMs = nowMs()
  let isShown = false
  return {
    show: text => {
      if (nowMs() - lastMs < everyMs) return
      lastMs = nowMs()
      isShown = true
      screen.write(screen.isTTY ? `${ERASE_LINE}${text}` : `${text}\n`)
    },
    clear: () => {
      if (screen.isTTY && isShown) screen.write(ERASE_LINE)
      isShown = false
    },
  }
}

/** Returns `, about 40 s left`, by the time so far, or nothing while it is too early to tell. */
export function openEstimate(nowMs: () => number) {
  const sinceMs = nowMs()
  return (done: number, all: number): string => {
    const tookMs = nowMs() - sinceMs
    if (done <= 0 || done >= all || tookMs < 1_000) return ''
    const seconds = Math.ceil(((tookMs / done) * (all - done)) / 1000)
    return `, about ${seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`} left`
  }
}

/** Control characters, line separators, and characters that change the direction of text. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** A line that cannot move the cursor, hide words or start a new line; tabs separate the columns of a row. */
export function printable(line: string | unknown[]): string {
  const cells = typeof line === 'string' ? [line] : line
  const escaped = (text: string) =>
    text.replace(UNSAFE, unsafe => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return cells.map(cell => escaped(String(cell))).join('\t')
}
