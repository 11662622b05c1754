// The sweep's first part: sends the outbox rows that were left behind, in one sweep at a time.
import { measure } from '../metrics/tally.ts'
import { startDeadline } from '../table/deadline.ts'
import { withSweepLease } from './sweep-lease.ts'
import { type Sweep, sweepOutbox } from './sweep-outbox.ts'

/** No page of the outbox is started later. */
const LAST_PAGE_MS = 40_000

type Context = Pick<Sweep, 'table' | 'sender' | 'depthOf' | 'nowMs'> & {
  log: (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void
}

export async function sendLeftRows({ table, sender, depthOf, log, nowMs }: Context): Promise<void> {
  const hasTime = startDeadline(LAST_PAGE_MS)
  const swept = await withSweepLease(table, nowMs, () =>
    sweepOutbox({ table, sender, depthOf, log, nowMs, hasTime }),
  )
  if (!swept) return log('warn', 'another sweep is under way')
  measure('OutboxLeft', swept.left)
  if (swept.sent + swept.left > 0) log('info', 'outbox rows were left behind', swept)
}
