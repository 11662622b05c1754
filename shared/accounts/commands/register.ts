// Registers a user: account, token, event and confirmation mail in one transaction.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { invalid } from '../../http/errors.ts'
import { orderMail } from '../../mail/mail.ts'
import { userData } from '../events.ts'
import type { Registration, Session } from '../fields.ts'
import { hashPassword } from '../password.ts'
import { findUserIdByEmail } from '../store/users.ts'
import type { User } from '../user.ts'
import { session } from '../view.ts'
import { loginToken } from './login.ts'
import { type LoginCaller, rememberAddress } from './login-guard.ts'
import { buildToken, reserveToken } from './tokens.ts'
import { createUser, EmailTaken } from './users.ts'

function emailTaken() {
  return invalid({ email: ['Is already taken.'] })
}

export async function register(
  work: UnitOfWork,
  registration: Registration,
  caller: LoginCaller,
): Promise<Session> {
  const { table, nowMs, nowSeconds } = work
  const { name, email, device_name } = registration
  // Saves the expensive hash for a taken address; the transaction's condition has the last word.
  if ((await findUserIdByEmail(table, email)) !== undefined) throw emailTaken()
  const password_hash = await hashPassword(registration.password)
  const reserved = await reserveToken(table)
  const tokenFor = ({ id }: User) => buildToken(reserved, loginToken(id, device_name), nowSeconds)
  const siteUrl = await work.siteUrl()
  const user = await createUser(
    table,
    { name, email, email_verified: false, password_hash },
    nowSeconds,
    (actions, user) =>
      work.commit({
        actions: [...actions, tokenFor(user).action, rememberAddress(caller, nowSeconds)],
        events: [{ event: 'user.registered', data: userData(user, siteUrl) }],
        messages: [orderMail({ kind: 'verify-email', user_id: user.id }, nowMs)],
      }),
  ).catch(error => {
    throw error instanceof EmailTaken ? emailTaken() : error
  })
  return session(user, tokenFor(user).text)
}
