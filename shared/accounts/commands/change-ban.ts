// Bans a user or lifts the ban, with the event and the stored reply in the same transaction.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import type { Reply } from '../../http/reply.ts'
import { banEvents } from '../events.ts'
import type { User } from '../user.ts'
import { changeUser } from './users.ts'

/** Throws NOT_FOUND. */
export function changeBan(
  work: UnitOfWork,
  id: number,
  change: (user: User) => User,
  answer?: (user: User) => Reply,
): Promise<User> {
  return changeUser(work.table, id, change, async (actions, after, before) => {
    const context = { nowSeconds: work.nowSeconds, siteUrl: await work.siteUrl() }
    await work.commit({ actions, events: banEvents(before, after, context) }, answer?.(after))
  })
}
