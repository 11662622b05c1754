// Reports how far a long piece of work is, and about how long the rest will take.

const EVERY_MS = 2_000

export function openProgress(say: (line: string) => void) {
  let stage = ''
  let startedMs = 0
  let saidMs = 0
  return (what: string, share: number): void => {
    const nowMs = performance.now()
    if (what !== stage) {
      stage = what
      startedMs = nowMs
      saidMs = nowMs
    }
    if (nowMs - saidMs < EVERY_MS && share < 1) return
    saidMs = nowMs
    const leftMs = share > 0 ? ((nowMs - startedMs) / share) * (1 - share) : 0
    say(
      `${what}: ${(100 * share).toFixed(0)} %${share < 1 ? `, about ${Math.ceil(leftMs / 1000)} s left` : ''}`,
    )
  }
}
