// "Authentication".
import { fails, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { notRun } from '../outcome.ts'
import { loggedIn, newToken } from '../sessions.ts'
import { at, hold, text } from '../values.ts'

export const AUTHENTICATION: Section = {
  part: 'contract',
  title: 'Authentication',
  checks: [
    {
      name: 'public endpoints take no credentials',
      proves: 'Public endpoints: no credentials.',
      run: async suite => {
        succeeds(await suite.reader('GET', '/posts?per_page=1'), 200)
        succeeds(await suite.reader('GET', '/categories'), 200)
      },
    },
    {
      name: 'user endpoints read the header `Authorization: Bearer`',
      proves: 'User endpoints: header `Authorization: Bearer <ACCESS_TOKEN>`.',
      run: async suite => {
        succeeds(await suite.user('GET', '/me'), 200)
        fails(await suite.reader('GET', '/me'), 401, 'UNAUTHENTICATED')
        const headers = { Authorization: `Basic ${Buffer.from('user:password').toString('base64')}` }
        fails(await suite.reader('GET', '/me', undefined, { headers }), 401, 'UNAUTHENTICATED')
      },
    },
    {
      name: 'the token of a login is accepted',
      proves:
        'A token is obtained from `POST /api/v1/auth/login` (existing users) or `POST /api/v1/auth/register` (new accounts).',
      run: async suite => {
        const token = text(await loggedIn(suite), 'data.token')
        succeeds(await suite.as(token)('GET', '/me'), 200)
      },
    },
    {
      name: 'a token in the query string is not accepted',
      proves: 'Tokens must not be sent in URL query strings.',
      run: async suite => {
        const token = encodeURIComponent(await suite.userToken())
        for (const name of ['token', 'access_token', 'api_token']) {
          fails(await suite.reader('GET', `/me?${name}=${token}`), 401, 'UNAUTHENTICATED')
        }
      },
    },
    {
      name: 'admin endpoints require the ability `admin`',
      proves: 'Admin endpoints: a bearer token carrying the `admin` ability.',
      run: async suite => {
        for (const path of ['/admin/posts', '/admin/webhooks']) {
          succeeds(await suite.admin('GET', path), 200)
          fails(await suite.user('GET', path), 403, 'FORBIDDEN')
          fails(await suite.reader('GET', path), 401, 'UNAUTHENTICATED')
        }
      },
    },
    {
      name: 'no endpoint issues a token with the ability `admin`',
      proves: 'No API endpoint issues admin tokens, including login.',
      run: async suite => {
        for (const caller of [suite.admin, suite.user]) {
          const body = { name: suite.unique('token'), abilities: ['user', 'admin'] }
          const answer = await caller('POST', '/me/tokens', body)
          const token = at(answer, 'data.token')
          if (typeof token !== 'string') continue
          const { status } = await suite.as(token)('GET', '/admin/categories')
          hold(status === 403, `A token of POST /api/v1/me/tokens is an admin token: ${status}.`)
        }
      },
    },
    {
      name: 'the ability `user` allows the profile and the own tokens',
      proves: '| `user` | read own profile, manage own tokens |',
      run: async suite => {
        const token = await newToken(suite, ['user'])
        succeeds(await suite.as(token)('GET', '/me'), 200)
        succeeds(await suite.as(token)('GET', '/me/tokens'), 200)
        const without = await newToken(suite, ['newsletter:manage'])
        fails(await suite.as(without)('GET', '/me/tokens'), 403, 'FORBIDDEN')
      },
    },
    {
      name: 'the ability `admin` allows all admin endpoints',
      proves: '| `admin` | all `/api/v1/admin/*` endpoints |',
      run: async suite => {
        for (const path of ['/admin/posts', '/admin/categories', '/admin/webhooks']) {
          succeeds(await suite.admin('GET', path), 200)
        }
      },
    },
    {
      name: 'the user chooses the abilities of a new token',
      proves: '`POST /api/v1/me/tokens` lets the user choose the abilities of the new token.',
      run: async suite => {
        const token = await newToken(suite, ['tickets:write'])
        fails(await suite.as(token)('GET', '/me'), 403, 'FORBIDDEN')
      },
    },
    {
      name: 'a token without the ability gets 403 FORBIDDEN, and stays valid',
      proves:
        'When a token lacks the ability an endpoint needs, the response is 403 with `errors.code` = `FORBIDDEN`; the token stays valid.',
      run: async suite => {
        fails(await suite.user('POST', '/admin/posts', { title: suite.unique('post') }), 403, 'FORBIDDEN')
        succeeds(await suite.user('GET', '/me'), 200)
      },
    },
    {
      name: 'a token that was logged out gets 401 on every later request',
      proves: 'Logout deletes the presented token; any later request with it returns 401.',
      run: async suite => {
        const token = await newToken(suite, ['user'])
        succeeds(await suite.as(token)('POST', '/auth/logout'))
        for (const path of ['/me', '/me/tokens', '/admin/categories']) {
          fails(await suite.as(token)('GET', path), 401, 'UNAUTHENTICATED')
        }
      },
    },
    {
      name: 'without `Accept: application/json`, a 401 is JSON or a redirect',
      proves:
        'On auth endpoints without `Accept: application/json`, a 401 may be returned as an HTML redirect instead of JSON.',
      run: async suite => {
        const headers = { Accept: 'text/html' }
        const answer = await suite.reader('POST', '/auth/logout', undefined, { headers })
        const isRedirect = answer.status >= 300 && answer.status < 400
        hold(isRedirect || answer.status === 401, `${answer.request} answered ${answer.status}.`)
      },
    },
    {
      name: 'the API accepts HTTPS only',
      proves: 'In production the API accepts HTTPS only.',
      run: async suite => {
        if (!suite.baseUrl.startsWith('https:')) notRun('The address is not one of HTTPS.')
        const plain = suite.baseUrl.replace(/^https:/, 'http:')
        const answer = await fetch(`${plain}/api/v1/health`, { redirect: 'manual' }).catch(() => undefined)
        hold(answer === undefined || !answer.ok, `${plain} answers without HTTPS.`)
      },
    },
  ],
  notShown: [
    'Which `/me/*` endpoint requires which of `comments:write`, `tickets:write`, `newsletter:manage`: not shown.',
  ],
  unprovable: [
    {
      sentence:
        'By default tokens never expire; expiry is an operator setting, and tokens older than the configured lifetime return 401.',
      because: 'A setting of the operator, which the suite leaves alone.',
    },
    {
      sentence: 'Admin tokens are created on the server by the site owner, out of band.',
      because: 'It happens outside of the API; the token of the suite is such a token.',
    },
    {
      sentence: '| `comments:write` | post comments on behalf of the user |',
      because: 'The contract shows no endpoint for it.',
    },
    {
      sentence: '| `tickets:write` | open support tickets |',
      because: 'The contract shows no endpoint for it.',
    },
    {
      sentence: '| `newsletter:manage` | subscribe/unsubscribe to newsletter |',
      because: 'The contract shows no endpoint for it.',
    },
  ],
}
