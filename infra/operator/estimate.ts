// How long a command still takes, by how long it took so far.

/** `, about 40 s left`; nothing until there is something to go by. */
export function openEstimate(nowMs: () => number) {
  const sinceMs = nowMs()
  return (done: number, all: number): string => {
    const tookMs = nowMs() - sinceMs
    if (done <= 0 || done >= all || tookMs < 1_000) return ''
    const seconds = Math.ceil(((tookMs / done) * (all - done)) / 1000)
    return `, about ${seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`} left`
  }
}
