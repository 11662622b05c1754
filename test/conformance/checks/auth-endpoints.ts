// "Authentication endpoints".
import { fails, isInvalid, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { loggedIn, newToken } from '../sessions.ts'
import { equal, hold, members, text } from '../values.ts'

export const AUTH_ENDPOINTS: Section = {
  part: 'contract',
  title: 'Authentication endpoints',
  checks: [
    {
      name: 'POST /auth/login returns a token with the ability `user` only',
      proves:
        '| POST | `/api/v1/auth/login` | `email` (string), `password` (string), `device_name` (string) | `data`: `token` (string), `token_type` (`Bearer`), `user` (login user object); issued token has abilities `["user"]` only |',
      run: async suite => {
        const answer = await loggedIn(suite)
        const token = text(answer, 'data.token')
        equal(answer, 'data.token_type', 'Bearer')
        members(answer, 'data.user')
        succeeds(await suite.as(token)('GET', '/me'), 200)
        fails(await suite.as(token)('GET', '/admin/categories'), 403, 'FORBIDDEN')
      },
    },
    {
      name: 'POST /auth/register exists, and refuses an empty body',
      proves:
        '| POST | `/api/v1/auth/register` | creates a new account and issues a token | request and response bodies: not shown |',
      run: async suite => {
        // An account that the suite registers could not be deleted.
        const answer = await suite.reader('POST', '/auth/register', {})
        if (answer.status === 403) {
          fails(answer, 403, 'REGISTRATION_DISABLED')
        } else {
          isInvalid(answer)
        }
      },
    },
    {
      name: 'POST /auth/forgot-password exists, and refuses an empty body',
      proves:
        '| POST | `/api/v1/auth/forgot-password` | password reset request | request and response bodies: not shown |',
      run: async suite => {
        isInvalid(await suite.reader('POST', '/auth/forgot-password', {}))
      },
    },
    {
      name: 'POST /auth/logout deletes the presented token',
      proves:
        '| POST | `/api/v1/auth/logout` | bearer token, no body | deletes the presented token; later use of it returns 401 |',
      run: async suite => {
        const token = await newToken(suite, ['user'])
        succeeds(await suite.as(token)('GET', '/me'), 200)
        succeeds(await suite.as(token)('POST', '/auth/logout'))
        const { status } = await suite.as(token)('GET', '/me')
        hold(status === 401, `GET /api/v1/me with a token that was logged out answered ${status}.`)
        succeeds(await suite.user('GET', '/me'), 200)
      },
    },
  ],
  notShown: ['request and response bodies: not shown'],
}
