// What a worker is given for one piece of work: the world, a moment, and a way to commit.
import type { Sender } from '../events/sender.ts'
import { siteUrlOf } from '../site/settings.ts'
import { currentSettings } from '../site/store.ts'
import type { Table } from '../table/client.ts'
import type { Environment } from './environment.ts'
import type { Log, Runtime } from './runtime.ts'
import { startWork, type Work } from './work.ts'

export type Job = {
  table: Table
  sender: Sender
  work: Work
  nowMs: number
  environment: Environment
  log: Log
}

/** `requestId` goes into the log, and into the deliveries of the events that the job causes. */
export const openJob = ({ environment, table, sender, clock, log }: Runtime, requestId: string): Job => {
  const nowMs = clock()
  const work = startWork({
    table,
    sender,
    nowMs,
    requestId,
    siteUrl: async () => siteUrlOf(await currentSettings(table, nowMs), environment.SITE_URL),
    log: problem => log('warn', 'left to the sweep', { request_id: requestId, problem: String(problem) }),
  })
  return { table, sender, work, nowMs, environment, log }
}
