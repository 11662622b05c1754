// Handlers of accounts: registration and login, the caller's profile and tokens, users and bans for admins.
import { paged, reply } from '../http/reply.ts'
import { handlersOf } from '../lambda/handler.ts'
import { required } from '../runtime/environment.ts'
import { adminUsers } from './admin-contract.ts'
import { banUser, changeProfile, unbanUser } from './commands/account.ts'
import {
  forgotPassword,
  login,
  loginCaller,
  register,
  resetPassword,
  sendVerification,
  verifyEmail,
} from './commands/auth.ts'
import { createPersonalToken, logOut, revokePersonalToken } from './commands/tokens.ts'
import { auth, me } from './contract.ts'
import { listTokens } from './store/tokens.ts'
import { findUsers, getUser } from './store/users.ts'
import { expiryOf } from './token.ts'
import { adminUser, profile, tokenView } from './user.ts'

export const authHandlers = handlersOf(auth, {
  login: async ({ body, work, hashClient, environment }) =>
    reply(await login(work, body, loginCaller(body.email, { hashClient, environment }))),

  register: async ({ body, work, hashClient, environment }) =>
    reply(await register(work, body, loginCaller(body.email, { hashClient, environment }))),

  verifyEmail: ({ body, work, environment }) =>
    verifyEmail(work, required(environment, 'PRIVATE_KEY'), body.token),

  forgotPassword: ({ body, work }) => forgotPassword(work, body.email),

  resetPassword: ({ body, work, hashClient, environment }) => {
    const caller = (email: string) => loginCaller(email, { hashClient, environment })
    return resetPassword(work, required(environment, 'PRIVATE_KEY'), body, caller)
  },

  logout: ({ actor, table }) => logOut(table, actor),
})

export const meHandlers = handlersOf(me, {
  getMe: async ({ actor, table }) => reply(profile(await getUser(table, actor.userId), actor)),

  changeMe: async ({ body, actor, work, environment }) =>
    reply(profile(await changeProfile(work, actor.userId, body, environment.LIMIT_SCALE), actor)),

  sendVerification: ({ actor, work }) => sendVerification(work, actor.userId),

  listTokens: async ({ actor, table, work, settings }) => {
    const tokens = await listTokens(table, actor.userId, settings, work.nowSeconds)
    return reply(tokens.map(token => tokenView(token, actor.tokenId)))
  },

  createToken: async ({ body, actor, work, settings }) => {
    const { token, text } = await createPersonalToken(work, actor, body, settings)
    return reply({
      ...tokenView({ ...token, expires_at: expiryOf(token, settings), last_used_at: null }, actor.tokenId),
      token: text,
      token_type: 'Bearer' as const,
    })
  },

  deleteToken: ({ params, actor, table }) => revokePersonalToken(table, actor, params.id),
})

export const adminUserHandlers = handlersOf(adminUsers, {
  listUsers: async ({ query, table, work }) => {
    const { items, total } = await findUsers(table, query)
    const users = items.map(user => adminUser(user, work.nowSeconds))
    return paged({ items: users, total }, query)
  },

  getUser: async ({ params, table, work }) =>
    reply(adminUser(await getUser(table, params.id), work.nowSeconds)),

  banUser: ({ params, body: ban, actor, work }) => banUser(work, params.id, ban, actor.userId),

  unbanUser: ({ params, work }) => unbanUser(work, params.id),
})
