// Writing bans: a ban and its end with their event, and with the answer to keep, all or none.
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
    const about = { nowSeconds: work.nowSeconds, siteUrl: await work.siteUrl() }
    await work.commit({ actions, events: banEvents(before, after, about) }, answer?.(after))
  })
}
