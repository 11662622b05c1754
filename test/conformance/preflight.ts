// Looks whether the address and the tokens are right, before any check runs.

import type { Suite } from './suite.ts'
import { at, shown } from './values.ts'

/** What is wrong with the address or a token, and what to do; undefined if both are right. */
export async function problemOf(suite: Suite, hasUserToken: boolean): Promise<string | undefined> {
  const { baseUrl } = suite
  const health = await suite.reader('GET', '/health')
  if (typeof at(health, 'success') !== 'boolean') {
    const answer = `${health.status} ${shown(health.text)}`
    return `${baseUrl}/api/v1/health answered ${answer}: nothing there speaks this API. Check the address.`
  }
  const admin = await suite.admin('GET', '/admin/categories')
  if (admin.status === 401) {
    return 'The service does not know the admin token (ADMIN_TOKEN). Create a new one.'
  }
  if (admin.status === 403) {
    return 'The admin token (ADMIN_TOKEN) lacks the ability admin, or its user is banned. Create another one.'
  }
  if (admin.status === 503) return `The service is not available: ${shown(at(admin, 'message'))}.`
  if (!hasUserToken) return undefined
  const user = await suite.user('GET', '/me')
  if (user.status === 401) return 'The service does not know the user token (USER_TOKEN). Create a new one.'
  if (user.status === 403) return 'The user token (USER_TOKEN) lacks the ability user. Create another one.'
  const asAdmin = await suite.user('GET', '/admin/categories')
  if (asAdmin.status === 200) return 'The user token (USER_TOKEN) has the ability admin. Use one without it.'
  return undefined
}
