// What the owner can do out of band: users, and the tokens that no endpoint issues.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { hashPassword } from '../../shared/accounts/password.ts'
import { newToken } from '../../shared/accounts/tokens.ts'
import { createUser, EmailTaken, findUserIdByEmail, listUsers } from '../../shared/accounts/users.ts'
import { ABILITIES } from '../../shared/http/audience.ts'
import { requiredLine } from '../../shared/http/text.ts'
import { isoTime } from '../../shared/http/time.ts'
import type { Table } from '../../shared/table/client.ts'

/** A mistake of the caller, told without a stack. */
export class OperatorError extends Error {}

/** Lines for people and the same as JSON. */
export type Result = { lines: string[]; json: unknown }

const UserInput = z.object({
  email: z.email('--email takes an e-mail address.').max(254),
  name: requiredLine(255),
  password: z.string().min(8, 'The password must have at least 8 characters.').max(200),
})

/** Without a password one is made, and shown this once. */
export const userCreate = async (
  table: Table,
  given: { email: string; name: string; password?: string | undefined },
  nowSeconds: number,
): Promise<Result> => {
  const made = given.password === undefined ? randomBytes(15).toString('base64url') : undefined
  const { email, name, password } = parsed(UserInput, { ...given, password: given.password ?? made })
  const password_hash = await hashPassword(password)
  const user = await createUser(
    table,
    { email, name, email_verified: true, password_hash },
    nowSeconds,
  ).catch(error => {
    throw error instanceof EmailTaken ? new OperatorError(`There is a user ${email} already.`) : error
  })
  return {
    lines: [`Created user ${user.id}: ${name} <${email}>`, ...(made ? [`Password: ${made}`] : [])],
    json: { id: user.id, name, email, ...(made && { password: made }) },
  }
}

const TokenInput = z.object({
  name: requiredLine(255),
  abilities: z
    .array(z.enum(ABILITIES, `--abilities takes some of ${ABILITIES.join(',')}.`))
    .min(1)
    .transform(abilities => [...new Set(abilities)]),
})

export const tokenCreate = async (
  table: Table,
  given: { email: string; abilities: string; name: string },
  nowSeconds: number,
): Promise<Result> => {
  const abilityNames = given.abilities.split(',').map(ability => ability.trim())
  const { name, abilities } = parsed(TokenInput, { name: given.name, abilities: abilityNames })
  const user_id = await findUserIdByEmail(table, given.email)
  if (user_id === undefined) throw new OperatorError(`There is no user ${given.email}. List them: user list`)
  const { token, action, text } = await newToken(table, { user_id, name, abilities }, nowSeconds)
  await table.transact([action])
  return {
    lines: [`Token ${token.id} of ${given.email} (${abilities.join(', ')}), shown this once:`, text],
    json: { id: token.id, user_id, name, abilities, token: text },
  }
}

const USERS_A_PAGE = 100

export const userList = async (table: Table): Promise<Result> => {
  const users = []
  for (let page = 1; ; page++) {
    const { items, total } = await listUsers(table, page, USERS_A_PAGE)
    users.push(...items)
    if (page * USERS_A_PAGE >= total) break
  }
  return {
    lines: users.map(({ id, email, name, created_at }) => `${id}\t${email}\t${name}\t${isoTime(created_at)}`),
    json: users.map(({ id, email, name, created_at }) => ({
      id,
      email,
      name,
      created_at: isoTime(created_at),
    })),
  }
}

const parsed = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new OperatorError(
    result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'),
  )
}
