// Commands for the tokens of an account. Admin tokens are created only here: no endpoint issues them.
import * as z from 'zod/mini'
import {
  ifNotRevoked,
  newToken,
  promoteToAdmin,
  removeToken,
  revokeTokens,
} from '../../../shared/accounts/commands/tokens.ts'
import { findAdmin, listTokens } from '../../../shared/accounts/store/tokens.ts'
import { abilitiesOf, type UsedToken } from '../../../shared/accounts/token.ts'
import { ABILITIES, BUILDS_READ } from '../../../shared/http/audience.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import { requiredLine } from '../../../shared/http/text.ts'
import { isoTime } from '../../../shared/http/time.ts'
import { readSettings } from '../../../shared/site/store/settings.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { command, flag, value } from '../command.ts'
import { columns } from '../escape.ts'
import { EMAIL, userByEmail } from '../find-account.ts'
import { OperatorError } from '../operator-error.ts'
import { countResting, countSuspended, restingLines, suspendedLines } from '../suspended-webhooks.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'

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
    const { target, nowSeconds, nowMs } = context
    const user = await userByEmail(target.table, email)
    const input = { user_id: user.id, name, abilities }
    const { token, text } = await retryOnConflict(async () => {
      const at = { nowSeconds, settings: readSettings(target.table) }
      const isNewAdmin = abilities.includes('admin') && !(await findAdmin(target.table, user.id, at))
      const { action, ...created } = await newToken(target.table, input, nowSeconds)
      const { id } = created.token
      const change = isNewAdmin ? promoteToAdmin(user.id, id, nowMs) : ifNotRevoked(user.id, id)
      await target.table.transact([action, change])
      return created
    })
    const resting = abilities.includes(BUILDS_READ) ? await countResting(context, user.id) : 0
    return {
      lines: [
        `Token ${token.id} of ${user.email} (${abilities.join(', ')}), shown only once:`,
        text,
        ...restingLines(resting, user.email),
      ],
      json: { id: token.id, user_id: user.id, name, abilities, token: text },
    }
  },
})

function isoOrNull(time: number | null) {
  return time === null ? null : isoTime(time)
}

function viewOf(token: UsedToken) {
  const { id, name, created_at, last_used_at, expires_at } = token
  return {
    id,
    name,
    abilities: abilitiesOf(token),
    created_at: isoTime(created_at),
    last_used_at: isoOrNull(last_used_at),
    expires_at: isoOrNull(expires_at),
  }
}

const list = command({
  name: 'token list',
  summary: 'List the valid tokens of an account, newest first, tab-separated',
  args: { email: EMAIL },
  run: async ({ email }, { target, nowSeconds }) => {
    const [user, settings] = await Promise.all([userByEmail(target.table, email), readSettings(target.table)])
    const tokens = (await listTokens(target.table, user.id, settings, nowSeconds)).map(viewOf)
    const used = ({ last_used_at }: (typeof tokens)[number]) => `used ${last_used_at ?? 'never'}`
    return {
      lines: tokens.map(token =>
        columns([token.id, token.name, token.abilities.join(','), token.created_at, used(token)]),
      ),
      json: tokens,
    }
  },
})

const Id = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{0,14}$/, 'Must be the number of a token. List them: token list EMAIL')),
  z.transform(Number),
)

const revoke = command({
  name: 'token revoke',
  summary: 'Revoke one token, or all with --all',
  args: { email: EMAIL, id: value('ID', 'number of the token', z.optional(Id)) },
  options: { all: flag('revoke all tokens of the account') },
  problemOf: ({ id, all }) =>
    (id === undefined) === all ? undefined : 'Name one token by its ID, or pass --all.',
  run: async ({ email, id }, context) => {
    const { table } = context.target
    const user = await userByEmail(table, email)
    if (id === undefined) {
      await revokeTokens(unitOfWorkOf(context), user.id)
      const suspended = await countSuspended(context, user.id)
      return {
        lines: [`Revoked all tokens of ${user.email}.`, ...suspendedLines(suspended, user.email)],
        json: { user_id: user.id, revoked: 'all', suspended_webhooks: suspended },
      }
    }
    await removeToken(table, user.id, id).catch(error => {
      const isMissing = error instanceof ApiError && error.code === 'NOT_FOUND'
      throw isMissing
        ? new OperatorError(`${user.email} has no token ${id}. List them: token list ${user.email}`)
        : error
    })
    const [suspended, resting] = [
      await countSuspended(context, user.id),
      await countResting(context, user.id),
    ]
    return {
      lines: [
        `Revoked token ${id} of ${user.email}.`,
        ...suspendedLines(suspended, user.email),
        ...restingLines(resting, user.email),
      ],
      json: { user_id: user.id, revoked: [id], suspended_webhooks: suspended, ignored_build_tokens: resting },
    }
  },
})

export const TOKEN_COMMANDS = [create, list, revoke]
