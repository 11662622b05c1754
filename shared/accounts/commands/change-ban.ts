// Bans a user or lifts the ban, with the event and the stored reply in the same transaction.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { type Reply, reply } from '../../http/reply.ts'
import type { AdminUser } from '../admin-contract.ts'
import { requireBannable, withBan, withoutBan } from '../ban.ts'
import { banEvents } from '../events.ts'
import type { Ban, User } from '../user.ts'
import { adminUser } from '../view.ts'
import { changeUser } from './users.ts'

/** Throws NOT_FOUND, or VALIDATION_ERROR for the actor's own id or an end in the past. */
export async function banUser(
  work: UnitOfWork,
  id: number,
  ban: Ban,
  actorId: number,
): Promise<Reply<AdminUser>> {
  requireBannable({ id, ban }, actorId, work.nowSeconds)
  return await answerChange(work, id, user => withBan(user, ban))
}

/** Changes nothing for a user who is not banned. Throws NOT_FOUND. */
export function unbanUser(work: UnitOfWork, id: number): Promise<Reply<AdminUser>> {
  return answerChange(work, id, user => withoutBan(user, work.nowMs))
}

async function answerChange(
  work: UnitOfWork,
  id: number,
  change: (user: User) => User,
): Promise<Reply<AdminUser>> {
  const answer = (user: User) => reply(adminUser(user, work.nowSeconds))
  return answer(await changeBan(work, id, change, answer))
}

/** Throws NOT_FOUND. */
export function changeBan(
  work: UnitOfWork,
  id: number,
  rule: (user: User) => User,
  answer?: (user: User) => Reply,
): Promise<User> {
  return changeUser(work.table, id, rule, async (change, after, before) => {
    const context = { nowSeconds: work.nowSeconds, siteUrl: await work.siteUrl() }
    await work.commit({ ...change, events: banEvents(before, after, context) }, answer?.(after))
  })
}
