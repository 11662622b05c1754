// One's own profile and tokens.
import { profile, tokenView } from '../shared/accounts/account.ts'
import { me } from '../shared/accounts/contract.ts'
import { expiryOf, listTokens, newToken, removeToken } from '../shared/accounts/tokens.ts'
import { findUser } from '../shared/accounts/users.ts'
import { EmptyData } from '../shared/http/endpoint.ts'
import { notFound } from '../shared/http/errors.ts'
import { reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'

export const handler = serve(me, {
  getMe: async ({ actor, table }) => {
    const user = await findUser(table, actor.userId)
    if (!user) throw notFound('User')
    return reply(profile(user, actor))
  },

  listTokens: async ({ actor, table, work, settings }) => {
    const tokens = await listTokens(table, actor.userId, settings, work.nowSeconds)
    return reply(tokens.map(token => tokenView(token, actor.tokenId)))
  },

  createToken: async ({ body, actor, table, work, settings }) => {
    const { token, action, text } = await newToken(table, { user_id: actor.userId, ...body }, work.nowSeconds)
    await work.commit({ actions: [action] })
    return reply({
      ...tokenView({ ...token, expires_at: expiryOf(token, settings) }, actor.tokenId),
      token: text,
      token_type: 'Bearer' as const,
    })
  },

  deleteToken: async ({ params, actor, table }) => {
    await removeToken(table, actor.userId, params.id)
    return reply(EmptyData.parse({}))
  },
})
