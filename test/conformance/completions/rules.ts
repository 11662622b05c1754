// Rules for every endpoint, where the contract is silent.
import { fails, isInvalid, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { createPost, family, familyList } from '../records.ts'
import { at, equal, hold, list, members, text } from '../values.ts'

export const RULES: Section = {
  part: 'completions',
  title: 'Rules for every endpoint',
  checks: {
    'A POST that makes a record answers 201 (posts, categories, webhooks, tokens, register, comments, tickets, replies, contact, redelivery); every other success, `POST /me/newsletter` included, is 200.':
      async suite => {
        succeeds(await suite.admin('POST', '/admin/posts', { title: suite.unique('post') }), 201)
        succeeds(await suite.admin('POST', '/admin/categories', { name: suite.unique('category') }), 201)
        const token = { name: suite.unique('token'), abilities: ['user'] }
        succeeds(await suite.user('POST', '/me/tokens', token), 201)
      },
    'Where there is nothing to return (DELETE, logout, forgot-password, reset-password, verify-email, newsletter subscribe, confirm, unsubscribe) `data` is `{}`.':
      async suite => {
        const { id } = await createPost(suite)
        equal(succeeds(await suite.admin('DELETE', `/admin/posts/${id}`), 200), 'data', {})
      },
    '**Times** are whole seconds in UTC, `2026-05-26T15:00:00+00:00`; a fraction that comes in is cut, never rounded up.':
      async suite => {
        const posted_at = '2026-05-26T17:00:00.999+02:00'
        const answer = await suite.admin('POST', '/admin/posts', { title: suite.unique('post'), posted_at })
        equal(succeeds(answer), 'data.posted_at', '2026-05-26T15:00:00+00:00')
      },
    'Unknown path or method: 404 `NOT_FOUND`.': async suite => {
      fails(await suite.reader('GET', '/no-such-path'), 404, 'NOT_FOUND')
      fails(await suite.reader('DELETE', '/posts'), 404, 'NOT_FOUND')
    },
    'A body that is not JSON: 422 `VALIDATION_ERROR`.': async suite => {
      isInvalid(await suite.admin('POST', '/admin/posts', '{"title": '))
    },
    'An id in a path that is no whole number from 1 is 404.': async suite => {
      for (const id of ['0', '-1', '1.5', 'one']) {
        fails(await suite.admin('GET', `/admin/posts/${id}`), 404, 'NOT_FOUND')
      }
    },
    '**Validation** reports all faults at once: those of form together or, when the form is right, those that need the table together: `errors: { code: "VALIDATION_ERROR", fields: { "category_ids.1": ["…"], "title": ["…"] } }`.':
      async suite => {
        const body = { seo_title: 'x'.repeat(61), category_ids: [1, 'two'] }
        const answer = isInvalid(await suite.admin('POST', '/admin/posts', body))
        const fields = members(answer, 'errors.fields')
        for (const name of ['title', 'seo_title', 'category_ids.1']) {
          const messages = fields[name]
          hold(Array.isArray(messages), `${answer.request}: \`errors.fields\` does not name ${name}.`)
        }
      },
    'Texts of one line are trimmed, and empty then counts as missing; `body` and the like stay as given.':
      async suite => {
        isInvalid(await suite.admin('POST', '/admin/posts', { title: '   ' }))
        const title = suite.unique('post')
        const answer = await suite.admin('POST', '/admin/posts', {
          title: `  ${title}\t`,
          body: ' <p>a</p> ',
        })
        equal(succeeds(answer), 'data.title', title)
        equal(answer, 'data.body', ' <p>a</p> ')
      },
    'Unknown members and query parameters are ignored, a repeated query parameter is 422, an empty one counts as given.':
      async suite => {
        const body = { title: suite.unique('post'), no_such_member: true }
        succeeds(await suite.admin('POST', '/admin/posts', body), 201)
        succeeds(await suite.reader('GET', '/posts?no_such_parameter=1'), 200)
        isInvalid(await suite.reader('GET', '/posts?page=1&page=2'))
        isInvalid(await suite.reader('GET', '/posts?page='))
      },
    '`page` and `per_page` are whole numbers from 1, else 422; `per_page` above its maximum is taken as the maximum, and `pagination.per_page` says so.':
      async suite => {
        for (const query of ['page=0', 'page=x', 'per_page=0', 'per_page=-1', 'per_page=1.5']) {
          isInvalid(await suite.reader('GET', `/posts?${query}`))
        }
        equal(succeeds(await suite.reader('GET', '/posts?per_page=500'), 200), 'pagination.per_page', 100)
      },
    'A page past the end: 200, `data: []`, `from: 0`, `to: 0`; an empty list has `last_page: 1`.':
      async suite => {
        const past = await familyList(suite, '&page=99')
        hold(list(past, 'data').length === 0, `${past.request} returns posts.`)
        equal(past, 'pagination.from', 0)
        equal(past, 'pagination.to', 0)
        const empty = succeeds(
          await suite.reader('GET', '/posts?category=no-such-category-of-the-suite'),
          200,
        )
        equal(empty, 'pagination.last_page', 1)
        hold(at(empty, 'pagination.total') === 0, `${empty.request} has a total.`)
      },
    'Every answer to a counted request and every 429 carries `X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Reset` (epoch seconds); 429 also `Retry-After` in whole seconds, at least 1.':
      async suite => {
        const { first } = await family(suite)
        for (const path of ['/posts', `/posts/${first.slug}`]) {
          const { headers, request } = await suite.reader('GET', path)
          for (const name of ['Limit', 'Remaining', 'Reset']) {
            const value = headers.get(`X-RateLimit-${name}`) ?? 'missing'
            hold(/^\d+$/.test(value), `${request}: X-RateLimit-${name} is ${value}.`)
          }
        }
      },
    "**Health**: `status` `ok`, `cms_version` the package's version.": async suite => {
      const answer = succeeds(await suite.reader('GET', '/health'), 200)
      equal(answer, 'data.status', 'ok')
      text(answer, 'data.cms_version')
    },
  },
}
