// Spans of a fixed length that begin at a stored time: windows, leases and pauses. The clock of a function
// may have been ahead when it stored the time: what ends later than now and its length has ended.

/** The clocks of two functions differ by less. */
const TOLERANCE_MS = 2_000

export function isRunning(sinceMs: number, lengthMs: number, nowMs: number): boolean {
  return nowMs < sinceMs + lengthMs && sinceMs <= nowMs + TOLERANCE_MS
}

/** For conditions of writes: a span that runs ends after now and not later than this. */
export function latestEnd(lengthMs: number, nowMs: number): number {
  return nowMs + TOLERANCE_MS + lengthMs
}
