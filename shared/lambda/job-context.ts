// Opens the context of one message or scheduled run.
import { startUnitOfWork } from '../events/unit-of-work.ts'
import type { JobContext, Runtime } from '../runtime/runtime.ts'
import { siteUrlOf } from '../site/settings.ts'
import { currentSettings } from '../site/store/settings.ts'

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
