// Registering: account, token, event and the mail that confirms the address, all or none.
import { invalid } from '../http/errors.ts'
import type { Work } from '../lambda/work.ts'
import { orderMail } from '../mail/mail.ts'
import { session, userData } from './account.ts'
import type { Registration, Session } from './fields.ts'
import { loginToken } from './login.ts'
import { knowAddress, type LoginCaller } from './login-guard.ts'
import { hashPassword } from './password.ts'
import { drawToken, tokenOf } from './tokens.ts'
import type { User } from './user.ts'
import { createUser, EmailTaken, findUserIdByEmail } from './users.ts'

const emailTaken = () => invalid({ email: ['Is already taken.'] })

export const register = async (work: Work, wanted: Registration, caller: LoginCaller): Promise<Session> => {
  const { table, nowMs, nowSeconds } = work
  const { name, email, device_name } = wanted
  // Looked up first, since hashing is dear; what decides is the condition of the transaction.
  if ((await findUserIdByEmail(table, email)) !== undefined) throw emailTaken()
  const password_hash = await hashPassword(wanted.password)
  const drawn = await drawToken(table)
  const tokenFor = ({ id }: User) => tokenOf(drawn, loginToken(id, device_name), nowSeconds)
  const siteUrl = await work.siteUrl()
  const user = await createUser(
    table,
    { name, email, email_verified: false, password_hash },
    nowSeconds,
    (actions, user) =>
      work.commit({
        actions: [...actions, tokenFor(user).action, knowAddress(caller, nowSeconds)],
        happenings: [{ event: 'user.registered', data: userData(user, siteUrl) }],
        messages: [orderMail({ kind: 'verify-email', user_id: user.id }, nowMs)],
      }),
  ).catch(error => {
    throw error instanceof EmailTaken ? emailTaken() : error
  })
  return session(user, tokenFor(user).text)
}
