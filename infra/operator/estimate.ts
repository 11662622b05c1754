// Estimates how long a command still takes from how long it took so far.

/** Returns `, about 40 s left`, or nothing while it is too early to tell. */
export function openEstimate(nowMs: () => number) {
  const sinceMs = nowMs()
  return (done: number, all: number): string => {
    const tookMs = nowMs() - sinceMs
    if (done <= 0 || done >= all || tookMs < 1_000) return ''
    const seconds = Math.ceil(((tookMs / done) * (all - done)) / 1000)
    return `, about ${seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`} left`
  }
}
