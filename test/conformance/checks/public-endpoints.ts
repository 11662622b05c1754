// "Endpoints: Public", "Login user object", "Token", "Public settings", "Menu", "Versioning".
import { absent, at, equal, fails, hold, notRun, shown, succeeds } from '../answer.ts'
import type { Section } from '../check.ts'
import { family, familyList, familyPost, includesFamily, loggedIn, SIBLINGS } from '../records.ts'
import type { Suite } from '../suite.ts'
import { each, flag, integer, itemsOf, list, members, momentMs, text } from '../values.ts'
import { visibility } from './post-states.ts'

const SETTINGS = 'general.site_name general.logo_url general.favicon_url social.twitter social.github'.split(
  ' ',
)
/** Locations that services often have. */
const USUAL_MENUS = ['main', 'header', 'primary', 'footer']

/** A usual one, or one that the suite creates where that is possible. */
function menu(suite: Suite) {
  return suite.once('menu', async () => {
    for (const location of USUAL_MENUS) {
      const answer = await suite.reader('GET', `/menus/${location}`)
      if (answer.status === 200) return answer
    }
    const location = suite.unique('menu').toLowerCase().replaceAll(' ', '-')
    const children = [{ label: 'Inner', url: '/inner' }]
    const items = [{ label: 'Outer', url: '/outer', children }]
    const made = await suite.admin('PUT', `/admin/menus/${location}`, { items })
    if (made.status !== 200) notRun('No menu is known, and none can be created.')
    return succeeds(await suite.reader('GET', `/menus/${location}`), 200)
  })
}

async function health(suite: Suite): Promise<void> {
  const answer = succeeds(await suite.reader('GET', '/health'), 200)
  equal(answer, 'data.api_version', 'v1')
  for (const name of ['status', 'cms_version']) text(answer, `data.${name}`)
  momentMs(answer, 'data.time')
}

export async function related(suite: Suite): Promise<void> {
  const { category, live } = await family(suite)
  const siblings = live.map(({ id }) => id)
  for (const { id, slug } of live.slice(0, 2)) {
    const answer = succeeds(await suite.reader('GET', `/posts/${slug}/related`), 200)
    absent(answer, 'pagination')
    const ids = each(answer, 'data', 'id', integer)
    hold(ids.length >= 3 && ids.length <= 5, `${answer.request} returns ${ids.length} posts.`)
    const areRight = ids.every(other => siblings.includes(other) && other !== id)
    hold(areRight, `${answer.request}: ${ids} are not all of the same category, or one is the post itself.`)
    const moments = each(answer, 'data', 'posted_at', momentMs)
    const newestFirst = moments.toSorted((one, other) => other - one)
    hold(`${moments}` === `${newestFirst}`, `${answer.request}: the newest is not first.`)
    const categories = each(answer, 'data', 'categories.0.id', integer)
    hold(new Set([category.id, ...categories]).size === 1, `${answer.request}: another category.`)
  }
}

async function publicSettings(suite: Suite): Promise<void> {
  const answer = succeeds(await suite.reader('GET', '/settings/public'), 200)
  const wrong = Object.keys(members(answer, 'data')).filter(key => !/^\w+(?:\.\w+)+$/.test(key))
  hold(wrong.length === 0, `${answer.request}: the keys ${wrong.join(', ')} have no dot.`)
}

async function menuTree(suite: Suite): Promise<void> {
  const answer = await menu(suite)
  const checkItems = (path: string): void => {
    for (const item of itemsOf(answer, path)) {
      hold(members(answer, item).id !== undefined, `\`${item}\` has no \`id\`.`)
      for (const name of ['url', 'label', 'target']) text(answer, `${item}.${name}`)
      list(answer, `${item}.children`)
      checkItems(`${item}.children`)
    }
  }
  checkItems('data.items')
  fails(await suite.reader('GET', '/menus/no-such-menu-of-the-suite'), 404, 'NOT_FOUND')
}

export const PUBLIC_ENDPOINTS: Section = {
  part: 'contract',
  title: 'Public endpoints',
  checks: {
    '| GET | `/api/v1/health` | none | `data`: `status` (string), `api_version` (string), `cms_version` (string), `time` (ISO 8601 timestamp); 200 when healthy |':
      health,
    '| GET | `/api/v1/posts` | query below | `data`: array of post list items; `pagination` |':
      async suite => {
        const answer = succeeds(await suite.reader('GET', '/posts'), 200)
        each(answer, 'data', 'slug', text)
        members(answer, 'pagination')
      },
    '| GET | `/api/v1/posts/{slug}` | none | `data`: single post; 404 for unpublished, future-scheduled and unknown slugs |':
      async suite => {
        equal(await familyPost(suite), 'data.slug', (await family(suite)).first.slug)
        await visibility(suite)
      },
    '| GET | `/api/v1/posts/{slug}/related` | none | `data`: array of 3 to 5 post list items sharing categories with the post, ordered by recency; no pagination |':
      related,
    '| GET | `/api/v1/categories` | none | `data`: array of categories with `posts_count` |': async suite => {
      const { category } = await family(suite)
      const answer = succeeds(await suite.reader('GET', '/categories'), 200)
      each(answer, 'data', 'posts_count', integer)
      const item = itemsOf(answer, 'data').find(path => at(answer, `${path}.id`) === category.id)
      hold(item !== undefined, `${answer.request} does not have the category ${category.slug}.`)
      equal(answer, `${item}.posts_count`, SIBLINGS)
    },
    '| GET | `/api/v1/categories/{slug}` | none | `data`: one category |': async suite => {
      const { category } = await family(suite)
      const answer = succeeds(await suite.reader('GET', `/categories/${category.slug}`), 200)
      equal(answer, 'data.id', category.id)
      fails(await suite.reader('GET', `/categories/${category.slug}-unknown`), 404, 'NOT_FOUND')
    },
    '| GET | `/api/v1/categories/{slug}/posts` | `page`, `per_page` | same as `/api/v1/posts?category={slug}` (paginated published posts) |':
      async suite => {
        const { category } = await family(suite)
        for (const query of ['', '&per_page=4&page=2']) {
          const path = `/categories/${category.slug}/posts${query.replace('&', '?')}`
          const answer = succeeds(await suite.reader('GET', path), 200)
          const same = await familyList(suite, query)
          for (const member of ['data', 'pagination']) equal(answer, member, at(same, member))
        }
      },
    '| GET | `/api/v1/search` | query `q` (min 2 chars) | global search across posts and pages; `data` includes `total` (integer) and `posts` (array); other members of `data`: not shown |':
      async suite => {
        const { word } = await family(suite)
        const answer = succeeds(await suite.reader('GET', `/search?q=${word}`), 200)
        await includesFamily(suite, answer, 'data.posts')
        equal(answer, 'data.total', SIBLINGS)
      },
    '| GET | `/api/v1/settings/public` | none | `data`: object of dotted-key settings |': publicSettings,
    '| GET | `/api/v1/menus/{location}` | none | `data.items`: menu tree |': menuTree,
  },
}

export const OTHER_FIELDS: Section = {
  part: 'contract',
  title: 'Login, token, settings, menu',
  checks: {
    '`id` (integer), `name` (string), `email` (string), `email_verified` (boolean).': async suite => {
      const answer = await loggedIn(suite)
      integer(answer, 'data.user.id')
      for (const name of ['name', 'email']) text(answer, `data.user.${name}`)
      flag(answer, 'data.user.email_verified')
    },
    'A bearer token is an opaque string with a set of abilities (see Authentication).': async suite => {
      const token = await suite.userToken()
      hold(token.length > 20 && !/\s/.test(token), 'A token is short, or has spaces.')
      succeeds(await suite.user('GET', '/me'), 200)
    },
    '`data` is an object whose keys are dotted strings.': publicSettings,
    'Keys used: `general.site_name`, `general.logo_url`, `general.favicon_url`, `social.twitter`, `social.github`.':
      async suite => {
        const settings = members(succeeds(await suite.reader('GET', '/settings/public'), 200), 'data')
        for (const key of SETTINGS.filter(known => (settings[known] ?? null) !== null)) {
          const value = settings[key]
          hold(typeof value === 'string', `\`${key}\` is ${shown(value)}, and not a string.`)
        }
      },
    '`data.items` is an array of items with `id`, `url`, `label`, `target`, and `children` (array of items of the same shape, possibly empty).':
      menuTree,
  },
  notShown: [
    'Fields of a token record in the token list: not shown.',
    'The complete key set: not shown.',
    'Valid `location` values: not shown.',
    'Fields of pages, comments, support tickets, newsletter subscribers, contact submissions and user accounts beyond those above: not shown.',
  ],
}

export const VERSIONING: Section = {
  part: 'contract',
  title: 'Versioning',
  checks: {
    'The version is in the URL path; the current version is `v1` (`api_version` in the health response is `v1`).':
      health,
    'When v2 ships, v1 keeps working for at least 6 months and responses carry a `Deprecation` header.':
      async suite => {
        const { headers } = succeeds(await suite.reader('GET', '/health'), 200)
        hold(headers.get('Deprecation') === null, 'v1 is deprecated: there is a newer version.')
      },
  },
  notShown: ['A future v2 lives under `/api/v2/*`.', 'Within v1 the contract does not change incompatibly.'],
}
