// "Limits": values first, then the requests per minute, each of which uses a limit up.
import { type Answer, hold, isInvalid, notRun, succeeds } from '../answer.ts'
import type { Check, Section } from '../check.ts'
import { limitOf } from '../pace.ts'
import type { Suite } from '../suite.ts'
import { hangingDelivery } from './delivery.ts'
import { perPage } from './list-parameters.ts'
import { metaDesc, seoTitle } from './post-fields.ts'
import { related } from './public-endpoints.ts'

export const LIMITS: Section = {
  part: 'contract',
  title: 'Limits',
  checks: {
    '| pagination `per_page` | default 12, max 100 |': perPage,
    '| search `q` | min 2 characters |': async suite => {
      isInvalid(await suite.reader('GET', '/search?q=x'))
      isInvalid(await suite.reader('GET', '/search'))
      succeeds(await suite.reader('GET', '/search?q=xy'), 200)
    },
    '| `seo_title` | max 60 characters |': seoTitle,
    '| `meta_desc` | max 155 characters |': metaDesc,
    '| webhook delivery time-out | 5 seconds |': hangingDelivery,
    '| related posts | 3 to 5 items |': related,
  },
  notShown: ['Payload size limits: not shown.'],
}

/** Several at a time, so that a slow network does not take longer than the minute. */
const AT_ONCE = 10

async function answersTo(suite: Suite, count: number, send: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  while (answers.length < count && !suite.signal.aborted) {
    const some = Math.min(AT_ONCE, count - answers.length)
    answers.push(...(await Promise.all(Array.from({ length: some }, send))))
  }
  return answers
}

/** All requests that are allowed succeed, and the next one is refused with `Retry-After`. */
function keeps(method: string, path: string, token?: 'adminToken' | 'lastingToken'): Check {
  return async suite => {
    if (suite.areLimitsRaised) notRun('The limits are raised.')
    await suite.pace.rest(path, suite.signal)
    const { most } = limitOf(path)
    const body = method === 'POST' ? {} : undefined
    const send = () => suite.as(token && suite[token])(method, path, body, { showsLimit: true })
    const answers = await answersTo(suite, most, send)
    const early = answers.filter(({ status }) => status === 429).length
    hold(early === 0, `${early} of ${most} requests to ${path} were refused. Does another client use it?`)
    const retryAfter = succeeds(await send(), 429).headers.get('Retry-After')
    hold(/^\d+$|GMT$/.test(retryAfter ?? ''), `A 429 has the header Retry-After: ${retryAfter}.`)
  }
}

/** They run last, when everything is deleted, because each of them uses a limit up. */
export const REQUEST_LIMITS: Section = {
  part: 'contract',
  title: 'Requests per minute',
  checks: {
    '| `/api/v1/auth/login` | 5 requests/min per IP |': keeps('POST', '/auth/login'),
    '| `/api/v1/auth/register` | 3 requests/min per IP |': keeps('POST', '/auth/register'),
    '| `/api/v1/auth/forgot-password` | 3 requests/min per IP |': keeps('POST', '/auth/forgot-password'),
    '| `/api/v1/me/*` | 120 requests/min per user |': keeps('GET', '/me', 'lastingToken'),
    '| `/api/v1/admin/*` | 30 requests/min per user |': keeps('GET', '/admin/categories', 'adminToken'),
    '| other public `/api/v1/*` | 60 requests/min per IP |': keeps('GET', '/health'),
    'Rate limit exceeded: HTTP 429 with a `Retry-After` header.': async suite => {
      if (suite.areLimitsRaised) notRun('The limits are raised.')
      const refused = suite.answers.filter(({ status }) => status === 429)
      if (refused.length === 0) notRun('No request was refused.')
      for (const { headers, request } of refused) {
        hold(headers.get('Retry-After') !== null, `${request}: a 429 has no Retry-After.`)
      }
    },
  },
}
