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
export function openJobContext(runtime: Runtime, requestId: string): JobContext {
  const { environment, table, clock } = runtime
  const nowMs = clock()
  const siteUrl = async () => siteUrlOf(await currentSettings(table, nowMs), environment.SITE_URL)
  return { ...runtime, nowMs, work: startUnitOfWork({ ...runtime, nowMs, requestId, siteUrl }) }
}
