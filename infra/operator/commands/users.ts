// Commands for accounts. Admins list and ban them by the API.
import { randomBytes } from 'node:crypto'
import { revokeTokens } from '../../../shared/accounts/commands/tokens.ts'
import { changeUser, createUser, EmailTaken, putPassword } from '../../../shared/accounts/commands/users.ts'
import { newPassword } from '../../../shared/accounts/fields.ts'
import { hashPassword } from '../../../shared/accounts/password.ts'
import type { User } from '../../../shared/accounts/user.ts'
import { emailAddress } from '../../../shared/http/email.ts'
import { requiredLine } from '../../../shared/http/text.ts'
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

export const USER_COMMANDS = [create, resetPassword, verify]
