// Admin reads of users, and their bans.
import { adminUsers } from '../shared/accounts/admin-contract.ts'
import { banUser, unbanUser } from '../shared/accounts/commands/change-ban.ts'
import { findUsers, getUser } from '../shared/accounts/store/users.ts'
import { adminUser } from '../shared/accounts/view.ts'
import { paged, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'

export const handler = serve(adminUsers, {
  listUsers: async ({ query, table, work }) => {
    const { items, total } = await findUsers(table, query)
    const users = items.map(user => adminUser(user, work.nowSeconds))
    return paged(users, total, query)
  },

  getUser: async ({ params, table, work }) =>
    reply(adminUser(await getUser(table, params.id), work.nowSeconds)),

  banUser: ({ params, body: ban, actor, work }) => banUser(work, params.id, ban, actor.userId),

  unbanUser: ({ params, work }) => unbanUser(work, params.id),
})
