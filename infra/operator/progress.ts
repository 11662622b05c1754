// Shows progress on stderr: one changing line on a terminal, otherwise a line every few seconds.

/** `show` drops a text that follows too soon after the last one. */
export type Progress = { show: (text: string) => void; clear: () => void }

type Screen = { isTTY?: boolean; write: (text: string) => unknown }

const EVERY_MS = { terminal: 100, log: 5_000 }
const ERASE_LINE = '\r\u001b[2K'

export function openProgress(screen: Screen, nowMs: () => number): Progress {
  const everyMs = screen.isTTY ? EVERY_MS.terminal : EVERY_MS.log
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
