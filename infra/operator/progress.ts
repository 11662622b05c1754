// How far a long command has come, on stderr: one line that changes, or one every few seconds where none can.

/** Says where the work is; what is said too soon after the last is dropped. */
export type Progress = { say: (where: string) => void; clear: () => void }

type Screen = { isTTY?: boolean; write: (text: string) => unknown }

const EVERY_MS = { terminal: 100, log: 5_000 }
const ERASE_LINE = '\r\u001b[2K'

export function openProgress(screen: Screen, nowMs: () => number): Progress {
  const everyMs = screen.isTTY ? EVERY_MS.terminal : EVERY_MS.log
  let lastMs = nowMs()
  let isShown = false
  return {
    say: where => {
      if (nowMs() - lastMs < everyMs) return
      lastMs = nowMs()
      isShown = true
      screen.write(screen.isTTY ? `${ERASE_LINE}${where}` : `${where}\n`)
    },
    clear: () => {
      if (screen.isTTY && isShown) screen.write(ERASE_LINE)
      isShown = false
    },
  }
}
