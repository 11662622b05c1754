// Writing bans: a ban and its end with their event, and with the answer to keep, all or none.
import type { Reply } from '../http/reply.ts'
import type { Work } from '../lambda/work.ts'
import { tellingsOf } from './bans.ts'
import type { User } from './user.ts'
import { changeUser } from './users.ts'

/** Throws NOT_FOUND. */
export const changeBan = (
  work: Work,
  id: number,
  change: (user: User) => User,
  answer?: (user: User) => Reply,
): Promise<User> =>
  changeUser(work.table, id, change, async (actions, after, before) => {
    const about = { nowSeconds: work.nowSeconds, siteUrl: await work.siteUrl() }
    await work.commit({ actions, happenings: tellingsOf(before, after, about) }, answer?.(after))
  })
