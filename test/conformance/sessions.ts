// Tokens for the checks of logins: from the account that was given, or from the caller's own tokens.
import { succeeds } from './answers.ts'
import type { Answer } from './client.ts'
import { notRun } from './outcome.ts'
import type { Suite } from './suite.ts'
import { at } from './values.ts'

/** Logs in with the account that was given. */
export async function logIn(suite: Suite): Promise<Answer> {
  if (!suite.account) notRun('It needs an account: --email EMAIL and the variable PASSWORD.')
  const { email, password } = suite.account
  const body = { email, password, device_name: suite.unique('device') }
  return succeeds(await suite.reader('POST', '/auth/login', body), 200, 201)
}

/** One login for all checks, because only five a minute are allowed. */
export function loggedIn(suite: Suite): Promise<Answer> {
  return suite.once('login', () => logIn(suite))
}

/** A new token of the user with these abilities; it is logged out at the end. */
export async function newToken(suite: Suite, abilities: string[]): Promise<string> {
  const body = { name: suite.unique('token'), abilities }
  const answer = succeeds(await suite.user('POST', '/me/tokens', body), 200, 201)
  const token = at(answer, 'data.token')
  return typeof token === 'string' ? token : notRun('The new token is not in `data.token`.')
}
