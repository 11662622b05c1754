// Commands for accounts.
import { randomBytes } from 'node:crypto'
import { BanInput } from '../../../shared/accounts/admin-contract.ts'
import { changeBan } from '../../../shared/accounts/commands/account.ts'
import { revokeTokens } from '../../../shared/accounts/commands/tokens.ts'
import { changeUser, createUser, EmailTaken, putPassword } from '../../../shared/accounts/commands/users.ts'
import { newPassword } from '../../../shared/accounts/fields.ts'
import { hashPassword } from '../../../shared/accounts/password.ts'
import { listUsers } from '../../../shared/accounts/store/users.ts'
import { isBanned, type User, type UserEntry, withBan, withoutBan } from '../../../shared/accounts/user.ts'
import { emailAddress } from '../../../shared/http/email.ts'
import { requiredLine } from '../../../shared/http/text.ts'
import { isoTime } from '../../../shared/http/time.ts'
import type { Table } from '../../../shared/table/client.ts'
import { EMAIL, restingOf, userByEmail } from '../accounts.ts'
import { command, flag, OperatorError, unitOfWorkOf, value } from '../command.ts'

/** Reads the password from stdin or generates one; only a generated one is shown. */
async function passwordFrom(fromStdin: boolean, readStdin: () => Promise<string>) {
  if (!fromStdin) {
    const generated = randomBytes(15).toString('base64url')
    return { password: generated, generated }
  }
  const { data, error } = newPassword.safeParse(await readStdin())
  if (data === undefined) throw new OperatorError(`The password: ${error.issues[0]?.message}`)
  return { password: data, generated: undefined }
}

const passwordStdin = flag('read the password from stdin (default: generate one and show it once)')

const create = command({
  name: 'user create',
  summary: 'Create an account with a confirmed address and show its password once',
  details: '  It fires no event: user.registered is only for users who register themselves.',
  options: {
    email: value('EMAIL', 'address of the account', emailAddress),
    name: value('NAME', 'public name', requiredLine(255)),
    'password-stdin': passwordStdin,
  },
  run: async ({ email, name, 'password-stdin': fromStdin }, { target, nowSeconds, readStdin }) => {
    const { password, generated } = await passwordFrom(fromStdin, readStdin)
    const password_hash = await hashPassword(password)
    const input = { email, name, email_verified: true, password_hash }
    const { id } = await createUser(target.table, input, nowSeconds).catch(error => {
      throw error instanceof EmailTaken ? new OperatorError(`There already is a user ${email}.`) : error
    })
    return {
      lines: [`Created user ${id}: ${name} <${email}>`, ...(generated ? [`Password: ${generated}`] : [])],
      json: { id, name, email, ...(generated && { password: generated }) },
    }
  },
})

const USERS_A_PAGE = 100

async function allUsers(table: Table, show: (progress: string) => void): Promise<UserEntry[]> {
  const users: UserEntry[] = []
  for (let page = 1; ; page++) {
    const { items, total } = await listUsers(table, page, USERS_A_PAGE)
    for (const user of items) users.push(user)
    show(`${users.length} of ${total} users`)
    if (page * USERS_A_PAGE >= total) return users
  }
}

const list = command({
  name: 'user list',
  summary: 'List all accounts by id, tab-separated',
  run: async (_, { target, nowSeconds, progress }) => {
    const users = (await allUsers(target.table, progress.show)).map(user => ({
      id: user.id,
      email: user.email,
      name: user.name,
      created_at: isoTime(user.created_at),
      email_verified: user.email_verified,
      is_banned: isBanned(user, nowSeconds),
    }))
    const flagsOf = (user: (typeof users)[number]) =>
      [user.email_verified ? [] : ['unconfirmed'], user.is_banned ? ['banned'] : []].flat()
    return {
      lines: users.map(user => [user.id, user.email, user.name, user.created_at, ...flagsOf(user)]),
      json: users,
    }
  },
})

const { reason: Reason, until: Until } = BanInput.shape

const ban = command({
  name: 'user ban',
  summary: 'Ban an account from its next request on (fires user.banned), or lift its ban with --lift',
  args: { email: EMAIL },
  options: {
    reason: value('TEXT', 'reason, which only admins and webhooks see', Reason),
    until: value('TIME', 'end of the ban, as 2026-05-26T15:00:00Z (default: never)', Until),
    lift: flag('lift the ban'),
  },
  problemOf: ({ until, reason, lift }, nowSeconds) => {
    if (lift && (until !== null || reason !== null)) return '--lift: Takes neither --reason nor --until.'
    return until !== null && until <= nowSeconds ? '--until: Must be in the future.' : undefined
  },
  run: async ({ email: given, reason, until, lift }, context) => {
    const user = await userByEmail(context.target.table, given)
    const { id, email } = user
    const change = lift
      ? (before: User) => withoutBan(before, context.nowMs)
      : (before: User) => withBan(before, { reason, until })
    await changeBan(unitOfWorkOf(context), id, change)
    if (lift) {
      const was = isBanned(user, context.nowSeconds) ? 'is not banned any more' : 'was not banned'
      return { lines: [`${email} ${was}.`], json: { id, email, is_banned: false } }
    }
    const end = until === null ? null : isoTime(until)
    return {
      lines: [`${email} is banned${end ? ` until ${end}` : ''}.`],
      json: { id, email, is_banned: true, ban_reason: reason, banned_until: end },
    }
  },
})

const resetPassword = command({
  name: 'user reset-password',
  summary: 'Set a new password, show it once, and revoke all tokens of the account',
  args: { email: EMAIL },
  options: { 'password-stdin': passwordStdin },
  run: async ({ email, 'password-stdin': fromStdin }, context) => {
    const user = await userByEmail(context.target.table, email)
    const { password, generated } = await passwordFrom(fromStdin, context.readStdin)
    const actions = [putPassword(user.id, await hashPassword(password))]
    await revokeTokens(unitOfWorkOf(context), user.id, { actions })
    return {
      lines: [
        `Changed the password of ${user.email} and revoked all of its tokens.`,
        ...(await restingOf(context, user)),
        ...(generated ? [`Password: ${generated}`] : []),
      ],
      json: { id: user.id, email: user.email, ...(generated && { password: generated }) },
    }
  },
})

const verify = command({
  name: 'user verify',
  summary: 'Confirm the address of an account without a mail',
  args: { email: EMAIL },
  run: async ({ email }, { target }) => {
    const { id } = await userByEmail(target.table, email)
    const confirm = (user: User) => (user.email_verified ? user : { ...user, email_verified: true })
    const user = await changeUser(target.table, id, confirm)
    return {
      lines: [`The address of user ${id}, ${user.email}, is confirmed.`],
      json: { id, email: user.email, email_verified: true },
    }
  },
})

export const USER_COMMANDS = [create, list, ban, resetPassword, verify]
