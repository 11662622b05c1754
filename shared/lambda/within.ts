// A bound on how long something is waited for, whatever becomes of it.

/** Rejects when there is no answer in time; the work itself goes on. */
export function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`No answer within ${limitMs} ms`)), limitMs)
  work.catch(() => undefined)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}
