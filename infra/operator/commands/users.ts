// Accounts, made and looked after out of band.
import { randomBytes } from 'node:crypto'
import { putPassword } from '../../../shared/accounts/commands/passwords.ts'
import { revokeTokens } from '../../../shared/accounts/commands/revoke-tokens.ts'
import { changeUser, createUser, EmailTaken } from '../../../shared/accounts/commands/users.ts'
import { newPassword } from '../../../shared/accounts/fields.ts'
import { hashPassword } from '../../../shared/accounts/password.ts'
import { listUsers } from '../../../shared/accounts/store/users.ts'
import { isBanned, type User, type UserEntry } from '../../../shared/accounts/user.ts'
import { emailAddress } from '../../../shared/http/email.ts'
import { requiredLine } from '../../../shared/http/text.ts'
import { isoTime } from '../../../shared/http/time.ts'
import type { Table } from '../../../shared/table/client.ts'
import { EMAIL, userByEmail } from '../account.ts'
import { command, flag, OperatorError, type Result, value } from '../command.ts'
import { columns } from '../printable.ts'
import { countResting, restingLines } from '../resting.ts'
import { workOf } from '../work.ts'
import { BAN_COMMANDS } from './bans.ts'

/** Without one from stdin one is made, to be shown once. */
async function passwordFrom(fromStdin: boolean, readStdin: () => Promise<string>) {
  if (!fromStdin) {
    const made = randomBytes(15).toString('base64url')
    return { password: made, made }
  }
  const { data, error } = newPassword.safeParse(await readStdin())
  if (data === undefined) throw new OperatorError(`The password: ${error.issues[0]?.message}`)
  return { password: data, made: undefined }
}

const passwordStdin = flag('take the password from stdin; without this one is made and shown once')

const create = command({
  name: 'user create',
  summary: 'Makes an account with a confirmed address; its password is shown once',
  more: '  No event tells of it: user.registered is for those who register themselves.',
  options: {
    email: value('EMAIL', 'its address', emailAddress),
    name: value('NAME', 'what others see of it', requiredLine(255)),
    'password-stdin': passwordStdin,
  },
  run: async ({ email, name, 'password-stdin': fromStdin }, { target, nowSeconds, readStdin }) => {
    const { password, made } = await passwordFrom(fromStdin, readStdin)
    const password_hash = await hashPassword(password)
    const wanted = { email, name, email_verified: true, password_hash }
    const { id } = await createUser(target.table, wanted, nowSeconds).catch(error => {
      throw error instanceof EmailTaken ? new OperatorError(`There is a user ${email} already.`) : error
    })
    return {
      lines: [`Created user ${id}: ${name} <${email}>`, ...(made ? [`Password: ${made}`] : [])],
      json: { id, name, email, ...(made && { password: made }) },
    }
  },
})

const USERS_A_PAGE = 100

async function allUsers(table: Table, say: (where: string) => void): Promise<UserEntry[]> {
  const users: UserEntry[] = []
  for (let page = 1; ; page++) {
    const { items, total } = await listUsers(table, page, USERS_A_PAGE)
    for (const user of items) users.push(user)
    say(`${users.length} of ${total} users`)
    if (page * USERS_A_PAGE >= total) return users
  }
}

const list = command({
  name: 'user list',
  summary: 'All accounts by id, tab-separated',
  run: async (_, { target, nowSeconds, progress }): Promise<Result> => {
    const users = (await allUsers(target.table, progress.say)).map(user => ({
      id: user.id,
      email: user.email,
      name: user.name,
      created_at: isoTime(user.created_at),
      email_verified: user.email_verified,
      is_banned: isBanned(user, nowSeconds),
    }))
    const wordsOf = (user: (typeof users)[number]) =>
      [user.email_verified ? [] : ['unconfirmed'], user.is_banned ? ['banned'] : []].flat()
    return {
      lines: users.map(user => columns([user.id, user.email, user.name, user.created_at, ...wordsOf(user)])),
      json: users,
    }
  },
})

const verify = command({
  name: 'user verify',
  summary: 'Marks the address of an account as confirmed, where no mail can do it',
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
  summary: 'Sets a new password, shown once, and makes all tokens of the account void at once',
  args: { email: EMAIL },
  options: { 'password-stdin': passwordStdin },
  run: async ({ email, 'password-stdin': fromStdin }, context) => {
    const { id, email: address } = await userByEmail(context.target.table, email)
    const { password, made } = await passwordFrom(fromStdin, context.readStdin)
    const hash = await hashPassword(password)
    await revokeTokens(workOf(context), id, { actions: [putPassword(id, hash)] })
    const resting = await countResting(context, id)
    return {
      lines: [
        `The password of ${address} is a new one, and all tokens are void.`,
        ...restingLines(resting, address),
        ...(made ? [`Password: ${made}`] : []),
      ],
      json: { id, email: address, resting_webhooks: resting, ...(made && { password: made }) },
    }
  },
})

export const USER_COMMANDS = [create, list, ...BAN_COMMANDS, resetPassword, verify]
