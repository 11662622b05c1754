// Logging in and out.
import { loginUser } from '../shared/accounts/account.ts'
import { auth } from '../shared/accounts/contract.ts'
import { verifyPassword } from '../shared/accounts/password.ts'
import { newToken, removeToken } from '../shared/accounts/tokens.ts'
import { isBanned } from '../shared/accounts/user.ts'
import { findPasswordHash, findUser, findUserIdByEmail } from '../shared/accounts/users.ts'
import { EmptyData } from '../shared/http/endpoint.ts'
import { ApiError } from '../shared/http/errors.ts'
import { reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import type { Table } from '../shared/table/client.ts'

const DEFAULT_TOKEN_NAME = 'api'

/** Nobody's reads cost as much as somebody's: an unknown address is answered in the same time. */
const NOBODY = 0

const findByEmail = async (table: Table, email: string) => {
  const userId = await findUserIdByEmail(table, email)
  const [user, hash] = await Promise.all([
    findUser(table, userId ?? NOBODY),
    findPasswordHash(table, userId ?? NOBODY),
  ])
  return { user, hash }
}

const unlessMissing = (error: unknown): void => {
  if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error
}

export const handler = serve(auth, {
  login: async ({ body, table, work }) => {
    const { user, hash } = await findByEmail(table, body.email)
    const isRight = await verifyPassword(body.password, hash)
    if (!user || !isRight) throw new ApiError('INVALID_CREDENTIALS', 'E-mail or password is wrong.')
    if (isBanned(user, work.nowSeconds)) throw new ApiError('ACCOUNT_BANNED', 'This account is banned.')
    const wanted = {
      user_id: user.id,
      name: body.device_name ?? DEFAULT_TOKEN_NAME,
      abilities: ['user' as const],
    }
    const { action, text } = await newToken(table, wanted, work.nowSeconds)
    const data = { id: user.id, url: await work.siteUrl(), name: user.name, email: user.email }
    await work.commit({ actions: [action], happenings: [{ event: 'user.logged-in', data }] })
    return reply({ token: text, token_type: 'Bearer' as const, user: loginUser(user) })
  },

  logout: async ({ actor, table }) => {
    // Gone already is logged out, too: a second logout may have come at the same moment.
    await removeToken(table, actor.userId, actor.tokenId).catch(unlessMissing)
    return reply(EmptyData.parse({}))
  },
})
