// The profile and tokens of the caller.

import { changeProfile } from '../shared/accounts/commands/change-profile.ts'
import { createPersonalToken, revokePersonalToken } from '../shared/accounts/commands/personal-token.ts'
import { sendVerification } from '../shared/accounts/commands/recovery.ts'
import { me } from '../shared/accounts/contract.ts'
import { listTokens } from '../shared/accounts/store/tokens.ts'
import { getUser } from '../shared/accounts/store/users.ts'
import { expiryOf } from '../shared/accounts/token.ts'
import { profile, tokenView } from '../shared/accounts/view.ts'
import { noData, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'

export const handler = serve(me, {
  getMe: async ({ actor, table }) => reply(profile(await getUser(table, actor.userId), actor)),

  changeMe: async ({ body, actor, work, environment }) =>
    reply(profile(await changeProfile(work, actor.userId, body, environment.LIMIT_SCALE), actor)),

  sendVerification: async ({ actor, work }) => {
    await sendVerification(work, actor.userId)
    return noData()
  },

  listTokens: async ({ actor, table, work, settings }) => {
    const tokens = await listTokens(table, actor.userId, settings, work.nowSeconds)
    return reply(tokens.map(token => tokenView(token, actor.tokenId)))
  },

  createToken: async ({ body, actor, work, settings }) => {
    const { token, text } = await createPersonalToken(work, actor, body, settings)
    return reply({
      ...tokenView({ ...token, expires_at: expiryOf(token, settings) }, actor.tokenId),
      token: text,
      token_type: 'Bearer' as const,
    })
  },

  deleteToken: async ({ params, actor, table }) => {
    await revokePersonalToken(table, actor, params.id)
    return noData()
  },
})
