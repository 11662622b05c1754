// "What the service does".
import { succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { family, SIBLINGS } from '../records.ts'
import { hold, integer, list } from '../values.ts'

export const SERVICE: Section = {
  part: 'contract',
  title: 'What the service does',
  checks: [
    {
      name: 'the API is below /api/v1/ and returns JSON',
      proves: 'The service exposes a versioned REST API under `/api/v1/` that returns JSON.',
      run: async suite => {
        const answer = succeeds(await suite.reader('GET', '/posts'), 200)
        const type = answer.headers.get('Content-Type') ?? 'missing'
        hold(/^application\/json\b/.test(type), `${answer.request}: Content-Type is ${type}.`)
        hold(answer.json !== undefined, `${answer.request}: the body is not JSON.`)
      },
    },
    {
      name: 'public endpoints answer without a token, a key or a special header',
      proves: 'Public endpoints need no token, key or special header.',
      run: async suite => {
        const { category, first, word } = await family(suite)
        const paths = ['/health', '/posts', '/categories', '/settings/public', `/search?q=${word}`]
        const one = [`/posts/${first.slug}`, `/posts/${first.slug}/related`]
        const ofCategory = [`/categories/${category.slug}`, `/categories/${category.slug}/posts`]
        for (const path of [...paths, ...one, ...ofCategory]) {
          succeeds(await suite.reader('GET', path, undefined, { headers: { Accept: '*/*' } }), 200)
        }
      },
    },
    {
      name: 'user endpoints take a bearer token',
      proves: '| `/api/v1/me/*` | Authenticated users | Bearer token | 120 requests/min per user |',
      run: async suite => {
        succeeds(await suite.reader('GET', '/me/tokens'), 401)
        succeeds(await suite.user('GET', '/me/tokens'), 200)
      },
    },
    {
      name: 'admin endpoints take a bearer token with the ability `admin`',
      proves:
        '| `/api/v1/admin/*` | Admin and integration clients | Bearer token with the `admin` ability | 30 requests/min per user |',
      run: async suite => {
        succeeds(await suite.reader('GET', '/admin/categories'), 401)
        succeeds(await suite.user('GET', '/admin/categories'), 403)
        succeeds(await suite.admin('GET', '/admin/categories'), 200)
      },
    },
    {
      name: 'public readers get what is published',
      proves:
        '| `/api/v1/*` (without `/me/` or `/admin/`) | Public readers | None | 60 requests/min per IP |',
      run: async suite => {
        const { category } = await family(suite)
        const answer = succeeds(await suite.reader('GET', `/posts?category=${category.slug}`), 200)
        hold(
          list(answer, 'data').length === SIBLINGS,
          `${answer.request}: not the ${SIBLINGS} published posts.`,
        )
        hold(integer(answer, 'pagination.total') === SIBLINGS, `${answer.request}: another total.`)
      },
    },
  ],
  unprovable: [
    {
      sentence:
        'Not available in v1 (by design, listed as future work): GraphQL endpoint, real-time subscriptions (WebSocket/SSE), official client SDK packages, multi-language content endpoints, bulk import/export (CSV), admin UI for webhook management, admin UI for API key issuance, draft preview tokens.',
      because: 'Nothing shows that something does not exist at an unknown address.',
    },
  ],
}
