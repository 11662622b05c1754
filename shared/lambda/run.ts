// One run of a function: what it counts, its time limits, and the context of its jobs.
import { startUnitOfWork } from '../events/unit-of-work.ts'
import { takeTally } from '../metrics/tally.ts'
import type { JobContext, Runtime } from '../runtime/runtime.ts'
import { siteUrlOf } from '../site/settings.ts'
import { currentSettings } from '../site/store/settings.ts'

/** The last line of a run without a request, if it counted something. */
export function logRun({ log }: Pick<Runtime, 'log'>): void {
  const tally = takeTally()
  if (Object.keys(tally).length > 0) log('info', 'run', {}, tally)
}

/** Rejects if there is no result in time. The work itself continues. */
export function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`No answer within ${limitMs} ms`)), limitMs)
  work.catch(() => undefined)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

/** `requestId` appears in the log and in the deliveries of events that the job fires. */
export function openJobContext(
  { environment, table, sender, clock, log }: Runtime,
  requestId: string,
): JobContext {
  const nowMs = clock()
  const work = startUnitOfWork({
    table,
    sender,
    nowMs,
    clock,
    requestId,
    siteUrl: async () => siteUrlOf(await currentSettings(table, nowMs), environment.SITE_URL),
    log,
  })
  return { table, sender, work, nowMs, environment, log }
}
