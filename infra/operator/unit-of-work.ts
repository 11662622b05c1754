// Commits as the service does, so that changes by the operator fire the same events.
import { startUnitOfWork, type UnitOfWork } from '../../shared/events/unit-of-work.ts'
import { siteUrlOf } from '../../shared/site/settings.ts'
import { readSettings } from '../../shared/site/store/settings.ts'
import type { Context } from './command.ts'

const REQUEST_ID = 'operator'

/** Nothing is logged if a queue does not answer: the sweep sends its messages within two minutes. */
export function unitOfWorkOf({ target, nowMs }: Context): UnitOfWork {
  return startUnitOfWork({
    table: target.table,
    sender: target.sender,
    nowMs,
    clock: Date.now,
    requestId: REQUEST_ID,
    siteUrl: async () => siteUrlOf(await readSettings(target.table), target.ownUrl),
    log: () => undefined,
  })
}
