// Registration, login and logout, and the links in mails.
import { login } from '../shared/accounts/commands/login.ts'
import { loginCaller } from '../shared/accounts/commands/login-guard.ts'
import { forgotPassword, resetPassword, verifyEmail } from '../shared/accounts/commands/recovery.ts'
import { register } from '../shared/accounts/commands/register.ts'
import { logOut } from '../shared/accounts/commands/tokens.ts'
import { auth } from '../shared/accounts/contract.ts'
import { noData, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { type Environment, required } from '../shared/runtime/environment.ts'

function callerOf(email: string, hashClient: (key: string) => string, environment: Environment) {
  return loginCaller(email, hashClient, required(environment, 'CLIENT_KEY'), environment.LIMIT_SCALE)
}

export const handler = serve(auth, {
  login: async ({ body, work, hashClient, environment }) =>
    reply(await login(work, body, callerOf(body.email, hashClient, environment))),

  register: async ({ body, work, hashClient, environment }) =>
    reply(await register(work, body, callerOf(body.email, hashClient, environment))),

  verifyEmail: async ({ body, work, environment }) => {
    await verifyEmail(work, required(environment, 'PRIVATE_KEY'), body.token)
    return noData()
  },

  forgotPassword: async ({ body, work }) => {
    await forgotPassword(work, body.email)
    return noData()
  },

  resetPassword: async ({ body, work, hashClient, environment }) => {
    const caller = (email: string) => callerOf(email, hashClient, environment)
    await resetPassword(work, required(environment, 'PRIVATE_KEY'), body, caller)
    return noData()
  },

  logout: async ({ actor, table }) => {
    await logOut(table, actor)
    return noData()
  },
})
