// Faults in who may see and do what.
import { at } from '../values.ts'
import { changed, doesNothing, type Exchange, type Faults, type Reply, sent } from './fault.ts'

/** Answers 200 with the draft, as the list for admins has it. */
async function showDraft(
  reply: Reply,
  exchange: Exchange,
  forward: (exchange: Exchange) => Promise<Reply>,
  adminToken: string,
): Promise<void> {
  const slug = exchange.request.split('/').at(-1) ?? ''
  const headers = { Authorization: `Bearer ${adminToken}` }
  const query = new URLSearchParams({ slug })
  const { json } = await forward({ request: 'GET /admin/posts', query, headers, body: undefined })
  const data = at({ json }, 'data.0')
  if (reply.status !== 404 || data === undefined) return
  reply.status = 200
  reply.json = { success: true, message: 'Post.', data }
}

/** `adminToken` is one that the suite may log out. */
export function accessFaults(adminToken: () => string): Faults {
  return {
    'Public visibility rule: public post endpoints return only published posts whose `posted_at` is not in the future; others yield 404.':
      {
        'a draft that is public': {
          on: /^GET \/posts\/[^/]+$/,
          after: (reply, exchange, forward) => showDraft(reply, exchange, forward, adminToken()),
          says: 'answered 200',
        },
      },
    'Tokens must not be sent in URL query strings.': {
      'a token in the query string': {
        on: /^GET \/me$/,
        before: ({ query, headers }) => {
          const token = query.get('access_token')
          if (token) headers.authorization = `Bearer ${token}`
          return undefined
        },
        says: 'and not 401',
      },
    },
    '| POST | `/api/v1/auth/logout` | bearer token, no body | deletes the presented token; later use of it returns 401 |':
      {
        'a logout that does nothing': { on: /^POST \/auth\/logout$/, ...doesNothing(), says: 'answered 200' },
      },
    '| `FORBIDDEN` | 403 | token lacks the required ability |': {
      '401 for a missing ability': {
        on: /^GET \/admin/,
        after: reply => {
          if (reply.status === 403) reply.status = 401
        },
        says: 'answered 401',
      },
    },
    '| POST | `/api/v1/auth/login` | `email` (string), `password` (string), `device_name` (string) | `data`: `token` (string), `token_type` (`Bearer`), `user` (login user object); issued token has abilities `["user"]` only |':
      {
        'a login that issues an admin token': {
          on: /^POST \/auth\/login$/,
          ...changed('data.token', token => (token === undefined ? token : adminToken())),
          says: 'answered 200',
        },
      },
    'No API endpoint issues admin tokens, including login.': {
      'a user who creates an admin token': {
        on: /^POST \/me\/tokens$/,
        before: ({ body }) => {
          const wantsAdmin = JSON.stringify(body).includes('"admin"')
          const data = { token: adminToken() }
          return wantsAdmin
            ? { status: 201, headers: {}, json: { success: true, message: '', data } }
            : undefined
        },
        says: 'is an admin token',
      },
    },
    '| POST | `/api/v1/me/tokens` | `name` (string), `abilities` (array of ability strings) | new token with the chosen abilities; body shape: not shown |':
      {
        'abilities that are ignored': {
          on: /^POST \/me\/tokens$/,
          ...sent('abilities', () => ['user']),
          says: 'and not 403',
        },
      },
  }
}
