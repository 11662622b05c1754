// Admin reads of users, and their bans.
import { adminUsers } from '../shared/accounts/admin-contract.ts'
import { requireBannable, withBan, withoutBan } from '../shared/accounts/ban.ts'
import { changeBan } from '../shared/accounts/commands/change-ban.ts'
import { getUser, listUsers, searchUsers } from '../shared/accounts/store/users.ts'
import type { User } from '../shared/accounts/user.ts'
import { adminUser } from '../shared/accounts/view.ts'
import type { UnitOfWork } from '../shared/events/unit-of-work.ts'
import { paged, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'

async function answerBan(work: UnitOfWork, id: number, change: (user: User) => User) {
  const answer = (user: User) => reply(adminUser(user, work.nowSeconds))
  return answer(await changeBan(work, id, change, answer))
}

export const handler = serve(adminUsers, {
  listUsers: async ({ query, table, work }) => {
    const { q, page, per_page } = query
    const { items, total } = await (q === undefined
      ? listUsers(table, page, per_page)
      : searchUsers(table, q, page, per_page))
    return paged(
      items.map(user => adminUser(user, work.nowSeconds)),
      total,
      query,
    )
  },

  getUser: async ({ params, table, work }) =>
    reply(adminUser(await getUser(table, params.id), work.nowSeconds)),

  banUser: ({ params, body: ban, actor, work }) => {
    requireBannable({ id: params.id, ban }, actor.userId, work.nowSeconds)
    return answerBan(work, params.id, user => withBan(user, ban))
  },

  unbanUser: ({ params, work, nowMs }) => answerBan(work, params.id, user => withoutBan(user, nowMs)),
})
