// The live line of `npm start` on a terminal: what the service has done, below the log. A pipe gets none.
import type { Totals } from './metrics/metrics.ts'

type Terminal = { isTTY?: boolean; columns?: number; write(text: string): unknown }

export type LiveLine = {
  /** Writes other lines, without a rest of the live line before or behind them. */
  whileHidden(write: () => void): void
  stop(): void
}

const EVERY_MS = 1_000
/** To the start of the line, and delete it. */
const ERASE = '\r\u001b[2K'

export function startLiveLine(terminal: Terminal, totals: () => Totals): LiveLine | undefined {
  if (!terminal.isTTY) return undefined
  let shown = ''

  function hide() {
    if (shown !== '') terminal.write(ERASE)
    shown = ''
  }
  /** A line that wraps could not be erased. */
  function show() {
    const text = liveText(totals()).slice(0, (terminal.columns || 80) - 1)
    if (text === shown) return
    terminal.write(`${shown === '' ? '' : ERASE}${text}`)
    shown = text
  }

  show()
  const timer = setInterval(show, EVERY_MS).unref()
  return {
    whileHidden(write) {
      hide()
      write()
      show()
    },
    stop() {
      clearInterval(timer)
      hide()
    },
  }
}

export function liveText(totals: Totals): string {
  const { requests, serverErrors, deliveries, failedDeliveries, leftInOutbox } = totals
  return `Requests: ${requests}, 5xx: ${serverErrors} · deliveries: ${deliveries}, failed: ${failedDeliveries} · left in the outbox: ${leftInOutbox ?? 0}`
}
