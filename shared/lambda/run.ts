// One run of a function: what it counts, and the context of its jobs.
import { startUnitOfWork } from '../events/unit-of-work.ts'
import { takeTally } from '../metrics/tally.ts'
import type { JobContext, Runtime } from '../runtime/runtime.ts'
import { siteUrlOf } from '../site/settings.ts'
import { currentSettings } from '../site/store.ts'

/** The last line of a run without a request, if it counted something. */
export function logRun({ log }: Pick<Runtime, 'log'>): void {
  const tally = takeTally()
  if (Object.keys(tally).length > 0) log('info', 'run', {}, tally)
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
