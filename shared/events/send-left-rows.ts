// The sweep's first part: sends the outbox rows that requests left behind, in one sweep at a time.
import { startDeadline } from '../table/deadline.ts'
import { withSweepLease } from './sweep-lease.ts'
import { type Sweep, sweepOutbox } from './sweep-outbox.ts'

/** The request that wrote a younger row may still send it. */
const LEFT_AFTER_MS = 30_000
/** No page of the outbox is started later. */
const LAST_PAGE_MS = 40_000

type Context = Pick<Sweep, 'table' | 'sender' | 'nowMs'> & {
  log: (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void
}

export async function sendLeftRows({ table, sender, log, nowMs }: Context): Promise<void> {
  const hasTime = startDeadline(LAST_PAGE_MS)
  const swept = await withSweepLease(table, nowMs, () =>
    sweepOutbox({ table, sender, log, nowMs, olderThanMs: LEFT_AFTER_MS, hasTime }),
  )
  if (!swept) return log('warn', 'another sweep is under way')
  if (swept.sent + swept.setAside + swept.left > 0) log('info', 'outbox rows were left behind', swept)
}
