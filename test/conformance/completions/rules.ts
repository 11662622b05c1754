// Rules for every endpoint, where the contract is silent.
import { fails, isInvalid, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { createPost, family, familyList } from '../records.ts'
import { at, equal, hold, list, members, text } from '../values.ts'

export const RULES: Section = {
  part: 'completions',
  title: 'Rules for every endpoint',
  checks: [
    {
      name: 'a POST that makes a record answers 201',
      proves:
        'A POST that makes a record answers 201 (posts, categories, webhooks, tokens, register, comments, tickets, replies, contact, redelivery); every other success, `POST /me/newsletter` included, is 200.',
      run: async suite => {
        succeeds(await suite.admin('POST', '/admin/posts', { title: suite.unique('post') }), 201)
        succeeds(await suite.admin('POST', '/admin/categories', { name: suite.unique('category') }), 201)
        const token = { name: suite.unique('token'), abilities: ['user'] }
        succeeds(await suite.user('POST', '/me/tokens', token), 201)
      },
    },
    {
      name: 'a deletion returns an empty object',
      proves:
        'Where there is nothing to return (DELETE, logout, forgot-password, reset-password, verify-email, newsletter subscribe, confirm, unsubscribe) `data` is `{}`.',
      run: async suite => {
        const { id } = await createPost(suite)
        equal(succeeds(await suite.admin('DELETE', `/admin/posts/${id}`), 200), 'data', {})
      },
    },
    {
      name: 'times are whole seconds in UTC, and fractions are cut',
      proves:
        '**Times** are whole seconds in UTC, `2026-05-26T15:00:00+00:00`; a fraction that comes in is cut, never rounded up.',
      run: async suite => {
        const posted_at = '2026-05-26T17:00:00.999+02:00'
        const answer = await suite.admin('POST', '/admin/posts', { title: suite.unique('post'), posted_at })
        equal(succeeds(answer), 'data.posted_at', '2026-05-26T15:00:00+00:00')
      },
    },
    {
      name: 'unknown paths and methods are 404 NOT_FOUND',
      proves: 'Unknown path or method: 404 `NOT_FOUND`.',
      run: async suite => {
        fails(await suite.reader('GET', '/no-such-path'), 404, 'NOT_FOUND')
        fails(await suite.reader('DELETE', '/posts'), 404, 'NOT_FOUND')
      },
    },
    {
      name: 'a body that is not JSON is 422',
      proves: 'A body that is not JSON: 422 `VALIDATION_ERROR`.',
      run: async suite => {
        isInvalid(await suite.admin('POST', '/admin/posts', '{"title": '))
      },
    },
    {
      name: 'an id that is no whole number from 1 is 404',
      proves: 'An id in a path that is no whole number from 1 is 404.',
      run: async suite => {
        for (const id of ['0', '-1', '1.5', 'one']) {
          fails(await suite.admin('GET', `/admin/posts/${id}`), 404, 'NOT_FOUND')
        }
      },
    },
    {
      name: 'a validation error names all fields that are wrong',
      proves:
        '**Validation** reports all faults at once: those of form together or, when the form is right, those that need the table together: `errors: { code: "VALIDATION_ERROR", fields: { "category_ids.1": ["…"], "title": ["…"] } }`.',
      run: async suite => {
        const body = { seo_title: 'x'.repeat(61), category_ids: [1, 'two'] }
        const answer = isInvalid(await suite.admin('POST', '/admin/posts', body))
        const fields = members(answer, 'errors.fields')
        for (const name of ['title', 'seo_title', 'category_ids.1']) {
          const messages = fields[name]
          hold(Array.isArray(messages), `${answer.request}: \`errors.fields\` does not name ${name}.`)
        }
      },
    },
    {
      name: 'texts of one line are trimmed',
      proves:
        'Texts of one line are trimmed, and empty then counts as missing; `body` and the like stay as given.',
      run: async suite => {
        isInvalid(await suite.admin('POST', '/admin/posts', { title: '   ' }))
        const title = suite.unique('post')
        const answer = await suite.admin('POST', '/admin/posts', {
          title: `  ${title}\t`,
          body: ' <p>a</p> ',
        })
        equal(succeeds(answer), 'data.title', title)
        equal(answer, 'data.body', ' <p>a</p> ')
      },
    },
    {
      name: 'unknown members and parameters are ignored, repeated parameters are refused',
      proves:
        'Unknown members and query parameters are ignored, a repeated query parameter is 422, an empty one counts as given.',
      run: async suite => {
        const body = { title: suite.unique('post'), no_such_member: true }
        succeeds(await suite.admin('POST', '/admin/posts', body), 201)
        succeeds(await suite.reader('GET', '/posts?no_such_parameter=1'), 200)
        isInvalid(await suite.reader('GET', '/posts?page=1&page=2'))
        isInvalid(await suite.reader('GET', '/posts?page='))
      },
    },
    {
      name: '`page` and `per_page` are whole numbers from 1, and `per_page` is cut to its maximum',
      proves:
        '`page` and `per_page` are whole numbers from 1, else 422; `per_page` above its maximum is taken as the maximum, and `pagination.per_page` says so.',
      run: async suite => {
        for (const query of ['page=0', 'page=x', 'per_page=0', 'per_page=-1', 'per_page=1.5']) {
          isInvalid(await suite.reader('GET', `/posts?${query}`))
        }
        equal(succeeds(await suite.reader('GET', '/posts?per_page=500'), 200), 'pagination.per_page', 100)
      },
    },
    {
      name: 'a page past the end is empty',
      proves: 'A page past the end: 200, `data: []`, `from: 0`, `to: 0`; an empty list has `last_page: 1`.',
      run: async suite => {
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
    },
    {
      name: 'answers tell the limit, and what is left of it',
      proves:
        'Every answer to a counted request and every 429 carries `X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Reset` (epoch seconds); 429 also `Retry-After` in whole seconds, at least 1.',
      run: async suite => {
        const { first } = await family(suite)
        for (const path of ['/posts', `/posts/${first.slug}`]) {
          const { headers, request } = await suite.reader('GET', path)
          for (const name of ['Limit', 'Remaining', 'Reset']) {
            const value = headers.get(`X-RateLimit-${name}`) ?? 'missing'
            hold(/^\d+$/.test(value), `${request}: X-RateLimit-${name} is ${value}.`)
          }
        }
      },
    },
    {
      name: 'the status of a healthy service is `ok`',
      proves: "**Health**: `status` `ok`, `cms_version` the package's version.",
      run: async suite => {
        const answer = succeeds(await suite.reader('GET', '/health'), 200)
        equal(answer, 'data.status', 'ok')
        text(answer, 'data.cms_version')
      },
    },
  ],
}
