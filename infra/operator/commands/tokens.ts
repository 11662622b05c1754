// Commands for the tokens of an account. Admin tokens are created only here: no endpoint issues them.
import * as z from 'zod/mini'
import {
  ifNotRevoked,
  newToken,
  removeToken,
  revokeTokens,
  type TokenDraft,
} from '../../../shared/accounts/commands/tokens.ts'
import { listTokens } from '../../../shared/accounts/store/tokens.ts'
import { ABILITIES } from '../../../shared/http/audience.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import { requiredLine } from '../../../shared/http/text.ts'
import { readSettings } from '../../../shared/site/store.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { EMAIL, restingOf, userByEmail, viewOfToken } from '../accounts.ts'
import { type Context, command, flag, numberOf, OperatorError, unitOfWorkOf, value } from '../command.ts'

const Abilities = z.pipe(
  z.pipe(
    z.string('Is required.'),
    z.transform(text => [...new Set(text.split(',').map(ability => ability.trim()))]),
  ),
  z.array(z.enum(ABILITIES, `Must be some of ${ABILITIES.join(',')}.`)),
)

const create = command({
  name: 'token create',
  summary: 'Create a token and show it once',
  options: {
    email: EMAIL,
    abilities: value('LIST', `comma-separated, from ${ABILITIES.join(',')}`, Abilities),
    name: value('NAME', 'name of the token', requiredLine(255)),
  },
  run: async ({ email, name, abilities }, context) => {
    const user = await userByEmail(context.target.table, email)
    const { token, text } = await createToken(context, { user_id: user.id, name, abilities })
    const shown = `Token ${token.id} of ${user.email} (${abilities.join(', ')}), shown only once:`
    return {
      lines: [shown, text, ...(await restingOf(context, user))],
      json: { id: token.id, user_id: user.id, name, abilities, token: text },
    }
  },
})

export function createToken({ target: { table }, nowSeconds }: Context, input: TokenDraft) {
  return retryOnConflict(async () => {
    const { action, ...created } = await newToken(table, input, nowSeconds)
    await table.transact([action, ifNotRevoked(input.user_id, created.token.id)])
    return created
  })
}

const list = command({
  name: 'token list',
  summary: 'List the valid tokens of an account, newest first, tab-separated',
  args: { email: EMAIL },
  run: async ({ email }, { target, nowSeconds }) => {
    const [user, settings] = await Promise.all([userByEmail(target.table, email), readSettings(target.table)])
    const tokens = (await listTokens(target.table, user.id, settings, nowSeconds)).map(viewOfToken)
    return {
      lines: tokens.map(token => [
        ...[token.id, token.name, token.abilities.join(','), token.created_at],
        `used ${token.last_used_at ?? 'never'}`,
      ]),
      json: tokens,
    }
  },
})

const Id = z.optional(numberOf('token', 'token list EMAIL'))

const revoke = command({
  name: 'token revoke',
  summary: 'Revoke one token, or all with --all',
  args: { email: EMAIL, id: value('ID', 'number of the token', Id) },
  options: { all: flag('revoke all tokens of the account') },
  problemOf: ({ id, all }) =>
    (id === undefined) === all ? undefined : 'Name one token by its ID, or pass --all.',
  run: async ({ email, id }, context) => {
    const { table } = context.target
    const user = await userByEmail(table, email)
    if (id === undefined) {
      await revokeTokens(unitOfWorkOf(context), user.id)
    } else {
      await removeToken(table, user.id, id).catch(error => {
        if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
        throw new OperatorError(`${user.email} has no token ${id}. List them: token list ${user.email}`)
      })
    }
    const what = id === undefined ? 'all tokens' : `token ${id}`
    return {
      lines: [`Revoked ${what} of ${user.email}.`, ...(await restingOf(context, user))],
      json: { user_id: user.id, revoked: id === undefined ? 'all' : [id] },
    }
  },
})

export const TOKEN_COMMANDS = [create, list, revoke]
