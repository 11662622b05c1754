// "Authentication", its endpoints, "User endpoints", and who may call what by "What the service does".
import { at, equal, fails, hold, isInvalid, notRun, succeeds } from '../answer.ts'
import type { Section } from '../check.ts'
import { family, loggedIn, newToken } from '../records.ts'
import type { Suite } from '../suite.ts'
import { members, text } from '../values.ts'
import { jsonBodies } from './envelope.ts'
import { categoryFilter } from './list-parameters.ts'

async function publicReads(suite: Suite): Promise<void> {
  const { category, first, word } = await family(suite)
  const paths = ['/health', '/posts', '/categories', '/settings/public', `/search?q=${word}`]
  const one = [`/posts/${first.slug}`, `/posts/${first.slug}/related`]
  const ofCategory = [`/categories/${category.slug}`, `/categories/${category.slug}/posts`]
  for (const path of [...paths, ...one, ...ofCategory]) {
    succeeds(await suite.reader('GET', path, undefined, { headers: { Accept: '*/*' } }), 200)
  }
}

async function userEndpoints(suite: Suite): Promise<void> {
  for (const path of ['/me', '/me/tokens']) {
    succeeds(await suite.user('GET', path), 200)
    fails(await suite.reader('GET', path), 401, 'UNAUTHENTICATED')
  }
  const headers = { Authorization: `Basic ${Buffer.from('user:password').toString('base64')}` }
  fails(await suite.reader('GET', '/me', undefined, { headers }), 401, 'UNAUTHENTICATED')
}

/** A token that is missing, wrong, or was logged out. */
export async function withoutValidToken(suite: Suite): Promise<void> {
  fails(await suite.reader('GET', '/me'), 401, 'UNAUTHENTICATED')
  fails(await suite.as('no-token-of-this-service')('GET', '/me'), 401, 'UNAUTHENTICATED')
  await logout(suite)
}

export async function adminEndpoints(suite: Suite): Promise<void> {
  for (const path of ['/admin/posts', '/admin/categories', '/admin/webhooks']) {
    succeeds(await suite.admin('GET', path), 200)
    fails(await suite.user('GET', path), 403, 'FORBIDDEN')
    fails(await suite.reader('GET', path), 401, 'UNAUTHENTICATED')
  }
  fails(await suite.user('DELETE', '/admin/posts/999999999'), 403, 'FORBIDDEN')
  succeeds(await suite.user('GET', '/me'), 200)
}

async function login(suite: Suite): Promise<void> {
  const answer = await loggedIn(suite)
  const token = text(answer, 'data.token')
  equal(answer, 'data.token_type', 'Bearer')
  members(answer, 'data.user')
  succeeds(await suite.as(token)('GET', '/me'), 200)
  fails(await suite.as(token)('GET', '/admin/categories'), 403, 'FORBIDDEN')
}

async function logout(suite: Suite): Promise<void> {
  const token = await newToken(suite, ['user'])
  succeeds(await suite.as(token)('GET', '/me'), 200)
  succeeds(await suite.as(token)('POST', '/auth/logout'))
  for (const path of ['/me', '/me/tokens', '/admin/categories']) {
    fails(await suite.as(token)('GET', path), 401, 'UNAUTHENTICATED')
  }
  succeeds(await suite.user('GET', '/me'), 200)
}

async function chosenAbilities(suite: Suite): Promise<void> {
  const token = await newToken(suite, ['comments:write'])
  for (const path of ['/me', '/me/tokens']) fails(await suite.as(token)('GET', path), 403, 'FORBIDDEN')
  const other = await newToken(suite, ['user', 'comments:write'])
  for (const path of ['/me', '/me/tokens']) succeeds(await suite.as(other)('GET', path), 200)
}

export const SERVICE: Section = {
  part: 'contract',
  title: 'What the service does',
  checks: {
    'The service exposes a versioned REST API under `/api/v1/` that returns JSON.': jsonBodies,
    'Public endpoints need no token, key or special header.': publicReads,
    '| `/api/v1/me/*` | Authenticated users | Bearer token | 120 requests/min per user |': userEndpoints,
    '| `/api/v1/admin/*` | Admin and integration clients | Bearer token with the `admin` ability | 30 requests/min per user |':
      adminEndpoints,
    '| `/api/v1/*` (without `/me/` or `/admin/`) | Public readers | None | 60 requests/min per IP |':
      categoryFilter,
  },
  notShown: [
    'Not available in v1 (by design, listed as future work): GraphQL endpoint, real-time subscriptions (WebSocket/SSE), official client SDK packages, multi-language content endpoints, bulk import/export (CSV), admin UI for webhook management, admin UI for API key issuance, draft preview tokens.',
  ],
}

export const AUTH_ENDPOINTS: Section = {
  part: 'contract',
  title: 'Authentication endpoints',
  checks: {
    '| POST | `/api/v1/auth/login` | `email` (string), `password` (string), `device_name` (string) | `data`: `token` (string), `token_type` (`Bearer`), `user` (login user object); issued token has abilities `["user"]` only |':
      login,
    // An account that the suite registers could not be deleted.
    '| POST | `/api/v1/auth/register` | creates a new account and issues a token | request and response bodies: not shown |':
      async suite => {
        const answer = await suite.reader('POST', '/auth/register', {})
        if (answer.status === 403) {
          fails(answer, 403, 'REGISTRATION_DISABLED')
        } else {
          isInvalid(answer)
        }
      },
    '| POST | `/api/v1/auth/forgot-password` | password reset request | request and response bodies: not shown |':
      async suite => void isInvalid(await suite.reader('POST', '/auth/forgot-password', {})),
    '| POST | `/api/v1/auth/logout` | bearer token, no body | deletes the presented token; later use of it returns 401 |':
      logout,
  },
  notShown: ['request and response bodies: not shown'],
}

export const USER_ENDPOINTS: Section = {
  part: 'contract',
  title: 'User endpoints',
  checks: {
    "| GET | `/api/v1/me` | none | the caller's profile; body shape: not shown |": async suite =>
      void members(succeeds(await suite.user('GET', '/me'), 200), 'data'),
    "| GET | `/api/v1/me/tokens` | none | list of the caller's tokens; body shape: not shown |":
      async suite => {
        const answer = succeeds(await suite.user('GET', '/me/tokens'), 200)
        hold(!answer.text.includes(await suite.userToken()), `${answer.request} shows a token.`)
      },
    '| POST | `/api/v1/me/tokens` | `name` (string), `abilities` (array of ability strings) | new token with the chosen abilities; body shape: not shown |':
      chosenAbilities,
  },
  notShown: ['Other `/api/v1/me/*` endpoints (for comments, tickets, newsletter): not shown.'],
}

export const AUTHENTICATION: Section = {
  part: 'contract',
  title: 'Authentication',
  checks: {
    'Public endpoints: no credentials.': publicReads,
    'User endpoints: header `Authorization: Bearer <ACCESS_TOKEN>`.': userEndpoints,
    'A token is obtained from `POST /api/v1/auth/login` (existing users) or `POST /api/v1/auth/register` (new accounts).':
      login,
    'Tokens must not be sent in URL query strings.': async suite => {
      const token = encodeURIComponent(await suite.userToken())
      for (const name of ['token', 'access_token', 'api_token']) {
        fails(await suite.reader('GET', `/me?${name}=${token}`), 401, 'UNAUTHENTICATED')
      }
    },
    'Admin endpoints: a bearer token carrying the `admin` ability.': adminEndpoints,
    'No API endpoint issues admin tokens, including login.': async suite => {
      for (const caller of [suite.admin, suite.user]) {
        const body = { name: suite.unique('token'), abilities: ['user', 'admin'] }
        const answer = await caller('POST', '/me/tokens', body)
        const token = at(answer, 'data.token')
        if (typeof token !== 'string') continue
        const { status } = await suite.as(token)('GET', '/admin/categories')
        hold(status === 403, `A token of POST /api/v1/me/tokens is an admin token: ${status}.`)
      }
    },
    '| `user` | read own profile, manage own tokens |': chosenAbilities,
    '| `admin` | all `/api/v1/admin/*` endpoints |': adminEndpoints,
    '`POST /api/v1/me/tokens` lets the user choose the abilities of the new token.': chosenAbilities,
    'When a token lacks the ability an endpoint needs, the response is 403 with `errors.code` = `FORBIDDEN`; the token stays valid.':
      adminEndpoints,
    'Logout deletes the presented token; any later request with it returns 401.': logout,
    'On auth endpoints without `Accept: application/json`, a 401 may be returned as an HTML redirect instead of JSON.':
      async suite => {
        const headers = { Accept: 'text/html' }
        const answer = await suite.reader('POST', '/auth/logout', undefined, { headers })
        const isRedirect = answer.status >= 300 && answer.status < 400
        hold(isRedirect || answer.status === 401, `${answer.request} answered ${answer.status}.`)
      },
    'In production the API accepts HTTPS only.': async suite => {
      if (!suite.baseUrl.startsWith('https:')) notRun('The address is not one of HTTPS.')
      const plain = suite.baseUrl.replace(/^https:/, 'http:')
      const answer = await fetch(`${plain}/api/v1/health`, { redirect: 'manual' }).catch(() => undefined)
      hold(answer === undefined || !answer.ok, `${plain} answers without HTTPS.`)
    },
  },
  notShown: [
    'Which `/me/*` endpoint requires which of `comments:write`, `tickets:write`, `newsletter:manage`: not shown.',
    // The suite changes no setting.
    'By default tokens never expire; expiry is an operator setting, and tokens older than the configured lifetime return 401.',
    'Admin tokens are created on the server by the site owner, out of band.',
    '| `comments:write` | post comments on behalf of the user |',
    '| `tickets:write` | open support tickets |',
    '| `newsletter:manage` | subscribe/unsubscribe to newsletter |',
  ],
}
