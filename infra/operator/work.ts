// A piece of the service's own work, done by the operator: what it commits tells the service's queues.
import { startUnitOfWork, type UnitOfWork } from '../../shared/events/unit-of-work.ts'
import { siteUrlOf } from '../../shared/site/settings.ts'
import { readSettings } from '../../shared/site/store/settings.ts'
import type { Context } from './command.ts'

const REQUEST_ID = 'operator'

/** A queue that does not answer is no failure: the sweep sends what is left, within a minute or two. */
export function workOf({ target, nowMs }: Context): UnitOfWork {
  return startUnitOfWork({
    table: target.table,
    sender: target.sender,
    nowMs,
    requestId: REQUEST_ID,
    siteUrl: async () => siteUrlOf(await readSettings(target.table), target.ownUrl),
    log: () => undefined,
  })
}
