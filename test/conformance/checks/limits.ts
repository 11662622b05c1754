// "Limits": values first, then the requests per minute, each of which uses a limit up.
import { isInvalid, succeeds } from '../answers.ts'
import type { Check, Section } from '../check.ts'
import type { Answer } from '../client.ts'
import { notRun } from '../outcome.ts'
import { createPost, family } from '../records.ts'
import type { Suite } from '../suite.ts'
import { hold, integer, list } from '../values.ts'
import { hangingPing, LONGEST_MS } from './delivery-stories.ts'

/** Several at a time, so that a slow network does not take longer than the minute. */
const AT_ONCE = 10

async function codesOf(suite: Suite, count: number, send: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  while (answers.length < count) {
    const some = Math.min(AT_ONCE, count - answers.length)
    answers.push(...(await Promise.all(Array.from({ length: some }, send))))
    if (suite.signal.aborted) break
  }
  return answers
}

type Limit = { path: string; most: number; proves: string; send: (suite: Suite) => Promise<Answer> }

/** All requests that are allowed succeed, and the next one is refused with `Retry-After`. */
function limitCheck({ path, most, proves, send }: Limit): Check {
  return {
    name: `${path} allows ${most} requests a minute`,
    proves,
    run: async suite => {
      if (suite.areLimitsRaised) notRun('The limits are raised.')
      await suite.pace.rest(path, suite.signal)
      const answers = await codesOf(suite, most, () => send(suite))
      const early = answers.filter(({ status }) => status === 429).length
      hold(early === 0, `${early} of ${most} requests to ${path} were refused. Does another client use it?`)
      const next = succeeds(await send(suite), 429)
      const retryAfter = next.headers.get('Retry-After')
      hold(/^\d+$|GMT$/.test(retryAfter ?? ''), `A 429 has the header Retry-After: ${retryAfter}.`)
    },
  }
}

const AT_ONCE_ASK = { showsLimit: true }
const REQUESTS: Limit[] = [
  {
    path: '/auth/login',
    most: 5,
    proves: '| `/api/v1/auth/login` | 5 requests/min per IP |',
    send: suite => suite.reader('POST', '/auth/login', {}, AT_ONCE_ASK),
  },
  {
    path: '/auth/register',
    most: 3,
    proves: '| `/api/v1/auth/register` | 3 requests/min per IP |',
    send: suite => suite.reader('POST', '/auth/register', {}, AT_ONCE_ASK),
  },
  {
    path: '/auth/forgot-password',
    most: 3,
    proves: '| `/api/v1/auth/forgot-password` | 3 requests/min per IP |',
    send: suite => suite.reader('POST', '/auth/forgot-password', {}, AT_ONCE_ASK),
  },
  {
    path: '/me',
    most: 120,
    proves: '| `/api/v1/me/*` | 120 requests/min per user |',
    send: suite => suite.as(suite.lastingToken)('GET', '/me', undefined, AT_ONCE_ASK),
  },
  {
    path: '/admin',
    most: 30,
    proves: '| `/api/v1/admin/*` | 30 requests/min per user |',
    send: suite => suite.admin('GET', '/admin/categories', undefined, AT_ONCE_ASK),
  },
  {
    path: '/',
    most: 60,
    proves: '| other public `/api/v1/*` | 60 requests/min per IP |',
    send: suite => suite.reader('GET', '/health', undefined, AT_ONCE_ASK),
  },
]

export const LIMITS: Section = {
  part: 'contract',
  title: 'Limits',
  checks: [
    {
      name: 'a page has 12 items by default, and at most 100',
      proves: '| pagination `per_page` | default 12, max 100 |',
      run: async suite => {
        const usual = succeeds(await suite.reader('GET', '/posts'), 200)
        hold(integer(usual, 'pagination.per_page') === 12, 'A page has another default than 12.')
        const most = await suite.reader('GET', '/posts?per_page=1000')
        if (most.status !== 422) hold(list(most, 'data').length <= 100, 'A page has more than 100 items.')
      },
    },
    {
      name: 'a search has at least 2 characters',
      proves: '| search `q` | min 2 characters |',
      run: async suite => {
        isInvalid(await suite.reader('GET', '/search?q=x'))
        isInvalid(await suite.reader('GET', '/search'))
        succeeds(await suite.reader('GET', '/search?q=xy'), 200)
      },
    },
    {
      name: 'a seo_title has at most 60 characters',
      proves: '| `seo_title` | max 60 characters |',
      run: async suite => {
        const { id } = await createPost(suite, { seo_title: 'x'.repeat(60) })
        isInvalid(await suite.admin('PATCH', `/admin/posts/${id}`, { seo_title: 'x'.repeat(61) }))
      },
    },
    {
      name: 'a meta_desc has at most 155 characters',
      proves: '| `meta_desc` | max 155 characters |',
      run: async suite => {
        const { id } = await createPost(suite, { meta_desc: 'x'.repeat(155) })
        isInvalid(await suite.admin('PATCH', `/admin/posts/${id}`, { meta_desc: 'x'.repeat(156) }))
      },
    },
    {
      name: 'a subscriber has 5 seconds to answer',
      proves: '| webhook delivery time-out | 5 seconds |',
      run: async suite => {
        const { tookMs } = await hangingPing(suite)
        hold(tookMs > 4_500 && tookMs < LONGEST_MS, `A subscriber that never answers got ${tookMs} ms.`)
      },
    },
    {
      name: 'there are 3 to 5 related posts',
      proves: '| related posts | 3 to 5 items |',
      run: async suite => {
        const { live } = await family(suite)
        for (const { slug } of live.slice(0, 2)) {
          const answer = succeeds(await suite.reader('GET', `/posts/${slug}/related`), 200)
          const count = list(answer, 'data').length
          hold(count >= 3 && count <= 5, `${answer.request} returns ${count} posts.`)
        }
      },
    },
  ],
  notShown: ['Payload size limits: not shown.'],
}

/** They run last, when everything is deleted, because each of them uses a limit up. */
export const REQUEST_LIMITS: Section = {
  part: 'contract',
  title: 'Requests per minute',
  checks: [
    ...REQUESTS.map(limitCheck),
    {
      name: 'a refused request is 429 with `Retry-After`',
      proves: 'Rate limit exceeded: HTTP 429 with a `Retry-After` header.',
      run: async suite => {
        if (suite.areLimitsRaised) notRun('The limits are raised.')
        const refused = suite.answers.filter(({ status }) => status === 429)
        if (refused.length === 0) notRun('No request was refused.')
        for (const { headers, request } of refused) {
          hold(headers.get('Retry-After') !== null, `${request}: a 429 has no Retry-After.`)
        }
      },
    },
  ],
}
