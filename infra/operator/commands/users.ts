// Commands for accounts.
import { randomBytes } from 'node:crypto'
import { revokeTokens } from '../../../shared/accounts/commands/tokens.ts'
import { changeUser, createUser, EmailTaken, putPassword } from '../../../shared/accounts/commands/users.ts'
import { newPassword } from '../../../shared/accounts/fields.ts'
import { hashPassword } from '../../../shared/accounts/password.ts'
import { listUsers } from '../../../shared/accounts/store/users.ts'
import { isBanned, type User, type UserEntry } from '../../../shared/accounts/user.ts'
import { emailAddress } from '../../../shared/http/email.ts'
import { requiredLine } from '../../../shared/http/text.ts'
import { isoTime } from '../../../shared/http/time.ts'
import type { Table } from '../../../shared/table/client.ts'
import { command, flag, type Result, value } from '../command.ts'
import { columns } from '../escape.ts'
import { EMAIL, userByEmail } from '../find-account.ts'
import { OperatorError } from '../operator-error.ts'
import { countSuspended, suspendedLines } from '../suspended-webhooks.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'
import { BAN_COMMANDS } from './bans.ts'
import { PERSON_COMMANDS } from './personal-data.ts'

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
  run: async (_, { target, nowSeconds, progress }): Promise<Result> => {
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
      lines: users.map(user => columns([user.id, user.email, user.name, user.created_at, ...flagsOf(user)])),
      json: users,
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

const resetPassword = command({
  name: 'user reset-password',
  summary: 'Set a new password, show it once, and revoke all tokens of the account',
  args: { email: EMAIL },
  options: { 'password-stdin': passwordStdin },
  run: async ({ email, 'password-stdin': fromStdin }, context) => {
    const { id, email: address } = await userByEmail(context.target.table, email)
    const { password, generated } = await passwordFrom(fromStdin, context.readStdin)
    const hash = await hashPassword(password)
    await revokeTokens(unitOfWorkOf(context), id, { actions: [putPassword(id, hash)] })
    const suspended = await countSuspended(context, id)
    return {
      lines: [
        `Changed the password of ${address} and revoked all of its tokens.`,
        ...suspendedLines(suspended, address),
        ...(generated ? [`Password: ${generated}`] : []),
      ],
      json: { id, email: address, suspended_webhooks: suspended, ...(generated && { password: generated }) },
    }
  },
})

export const USER_COMMANDS = [create, list, ...BAN_COMMANDS, resetPassword, verify, ...PERSON_COMMANDS]
