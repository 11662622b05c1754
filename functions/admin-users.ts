// Admin reads of users, and their bans.
import { adminUser } from '../shared/accounts/account.ts'
import { adminUsers } from '../shared/accounts/admin-contract.ts'
import { banned, requireBannable, tellingsOf, unbanned } from '../shared/accounts/bans.ts'
import type { User } from '../shared/accounts/user.ts'
import { changeUser, getUser, listUsers, searchUsers } from '../shared/accounts/users.ts'
import { paged, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import type { Work } from '../shared/lambda/work.ts'

/** A ban and its end are written with their event and the kept answer, all or none. */
const changeBan = async (work: Work, id: number, change: (user: User) => User) => {
  const { table, nowSeconds } = work
  const answer = (user: User) => reply(adminUser(user, nowSeconds))
  const user = await changeUser(table, id, change, async (actions, after, before) => {
    const happenings = tellingsOf(before, after, { nowSeconds, siteUrl: await work.siteUrl() })
    await work.commit({ actions, happenings }, answer(after))
  })
  return answer(user)
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
    return changeBan(work, params.id, user => banned(user, ban))
  },

  unbanUser: ({ params, work, nowMs }) => changeBan(work, params.id, user => unbanned(user, nowMs)),
})
