// "Endpoints: Public".
import { fails, isSorted, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { family, familyList, familyPost, SIBLINGS } from '../records.ts'
import { absent, at, each, equal, hold, integer, itemsOf, list, members, momentMs, text } from '../values.ts'
import { menu } from './other-fields.ts'

export const PUBLIC_ENDPOINTS: Section = {
  part: 'contract',
  title: 'Public endpoints',
  checks: [
    {
      name: 'GET /health returns status, api_version, cms_version and time',
      proves:
        '| GET | `/api/v1/health` | none | `data`: `status` (string), `api_version` (string), `cms_version` (string), `time` (ISO 8601 timestamp); 200 when healthy |',
      run: async suite => {
        const answer = succeeds(await suite.reader('GET', '/health'), 200)
        for (const name of ['status', 'api_version', 'cms_version']) text(answer, `data.${name}`)
        momentMs(answer, 'data.time')
      },
    },
    {
      name: 'GET /posts returns an array and `pagination`',
      proves: '| GET | `/api/v1/posts` | query below | `data`: array of post list items; `pagination` |',
      run: async suite => {
        const answer = succeeds(await suite.reader('GET', '/posts'), 200)
        each(answer, 'data', 'slug', text)
        members(answer, 'pagination')
      },
    },
    {
      name: 'GET /posts/{slug} returns one post, and 404 for one that is not public',
      proves:
        '| GET | `/api/v1/posts/{slug}` | none | `data`: single post; 404 for unpublished, future-scheduled and unknown slugs |',
      run: async suite => {
        const { first, draft, scheduled } = await family(suite)
        equal(await familyPost(suite), 'data.slug', first.slug)
        for (const slug of [draft.slug, scheduled.slug, `${first.slug}-unknown`]) {
          fails(await suite.reader('GET', `/posts/${slug}`), 404, 'NOT_FOUND')
        }
      },
    },
    {
      name: 'GET /posts/{slug}/related returns 3 to 5 posts that share a category, newest first',
      proves:
        '| GET | `/api/v1/posts/{slug}/related` | none | `data`: array of 3 to 5 post list items sharing categories with the post, ordered by recency; no pagination |',
      run: async suite => {
        const { first, category, live } = await family(suite)
        const answer = succeeds(await suite.reader('GET', `/posts/${first.slug}/related`), 200)
        absent(answer, 'pagination')
        const ids = each(answer, 'data', 'id', integer)
        hold(ids.length >= 3 && ids.length <= 5, `${answer.request} returns ${ids.length} posts.`)
        const siblings = live.map(({ id }) => id)
        hold(
          ids.every(id => siblings.includes(id)),
          `${answer.request}: ${ids} are not all of the same category.`,
        )
        hold(!ids.includes(first.id), `${answer.request} returns the post itself.`)
        const moments = each(answer, 'data', 'posted_at', momentMs)
        hold(isSorted(moments.map(ms => -ms)), `${answer.request}: the newest is not first.`)
        hold(
          each(answer, 'data', 'categories.0.id', integer).every(id => id === category.id),
          'Another category.',
        )
      },
    },
    {
      name: 'GET /categories returns categories with `posts_count`',
      proves: '| GET | `/api/v1/categories` | none | `data`: array of categories with `posts_count` |',
      run: async suite => {
        const { category } = await family(suite)
        const answer = succeeds(await suite.reader('GET', '/categories'), 200)
        each(answer, 'data', 'posts_count', integer)
        const item = itemsOf(answer, 'data').find(path => at(answer, `${path}.id`) === category.id)
        hold(item !== undefined, `${answer.request} does not have the category ${category.slug}.`)
        equal(answer, `${item}.posts_count`, SIBLINGS)
      },
    },
    {
      name: 'GET /categories/{slug} returns one category',
      proves: '| GET | `/api/v1/categories/{slug}` | none | `data`: one category |',
      run: async suite => {
        const { category } = await family(suite)
        const answer = succeeds(await suite.reader('GET', `/categories/${category.slug}`), 200)
        equal(answer, 'data.id', category.id)
        fails(await suite.reader('GET', `/categories/${category.slug}-unknown`), 404, 'NOT_FOUND')
      },
    },
    {
      name: 'GET /categories/{slug}/posts is the list of posts with that category',
      proves:
        '| GET | `/api/v1/categories/{slug}/posts` | `page`, `per_page` | same as `/api/v1/posts?category={slug}` (paginated published posts) |',
      run: async suite => {
        const { category } = await family(suite)
        for (const query of ['', '&per_page=4&page=2']) {
          const path = `/categories/${category.slug}/posts${query.replace('&', '?')}`
          const answer = succeeds(await suite.reader('GET', path), 200)
          const same = await familyList(suite, query)
          for (const member of ['data', 'pagination']) equal(answer, member, at(same, member))
        }
      },
    },
    {
      name: 'GET /search finds posts and pages, with their total',
      proves:
        '| GET | `/api/v1/search` | query `q` (min 2 chars) | global search across posts and pages; `data` includes `total` (integer) and `posts` (array); other members of `data`: not shown |',
      run: async suite => {
        const { word, live } = await family(suite)
        const answer = succeeds(await suite.reader('GET', `/search?q=${word}`), 200)
        const ids = each(answer, 'data.posts', 'id', integer)
        hold(
          live.every(({ id }) => ids.includes(id)),
          `${answer.request} finds ${ids.length} of ${SIBLINGS} posts.`,
        )
        equal(answer, 'data.total', SIBLINGS)
      },
    },
    {
      name: 'GET /settings/public returns an object of settings',
      proves: '| GET | `/api/v1/settings/public` | none | `data`: object of dotted-key settings |',
      run: async suite => {
        members(succeeds(await suite.reader('GET', '/settings/public'), 200), 'data')
      },
    },
    {
      name: 'GET /menus/{location} returns a tree',
      proves: '| GET | `/api/v1/menus/{location}` | none | `data.items`: menu tree |',
      run: async suite => {
        list(await menu(suite), 'data.items')
        fails(await suite.reader('GET', '/menus/no-such-menu-of-the-suite'), 404, 'NOT_FOUND')
      },
    },
  ],
}
