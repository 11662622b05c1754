// "User endpoints (bearer token)".
import { fails, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { newToken } from '../sessions.ts'
import { at, hold } from '../values.ts'

export const USER_ENDPOINTS: Section = {
  part: 'contract',
  title: 'User endpoints',
  checks: [
    {
      name: 'GET /me returns the profile of the caller',
      proves: "| GET | `/api/v1/me` | none | the caller's profile; body shape: not shown |",
      run: async suite => {
        const answer = succeeds(await suite.user('GET', '/me'), 200)
        hold(typeof at(answer, 'data') === 'object', `${answer.request}: there is no profile.`)
        fails(await suite.reader('GET', '/me'), 401, 'UNAUTHENTICATED')
      },
    },
    {
      name: "GET /me/tokens lists the caller's tokens",
      proves: "| GET | `/api/v1/me/tokens` | none | list of the caller's tokens; body shape: not shown |",
      run: async suite => {
        const answer = succeeds(await suite.user('GET', '/me/tokens'), 200)
        hold(!answer.text.includes(await suite.userToken()), `${answer.request} shows a token.`)
      },
    },
    {
      name: 'POST /me/tokens creates a token with the chosen abilities',
      proves:
        '| POST | `/api/v1/me/tokens` | `name` (string), `abilities` (array of ability strings) | new token with the chosen abilities; body shape: not shown |',
      run: async suite => {
        const token = await newToken(suite, ['comments:write'])
        fails(await suite.as(token)('GET', '/me'), 403, 'FORBIDDEN')
        const other = await newToken(suite, ['user', 'comments:write'])
        succeeds(await suite.as(other)('GET', '/me'), 200)
      },
    },
  ],
  notShown: ['Other `/api/v1/me/*` endpoints (for comments, tickets, newsletter): not shown.'],
}
