// "Query parameters of `GET /api/v1/posts`".
import { isInvalid, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { family, familyList, SIBLINGS } from '../records.ts'
import { each, equal, hold, integer, list } from '../values.ts'

export const LIST_PARAMETERS: Section = {
  part: 'contract',
  title: 'Parameters of GET /posts',
  checks: [
    {
      name: '`page` walks through the list, from page 1',
      proves: '| `page` | integer | 1 | page number |',
      run: async suite => {
        const { live } = await family(suite)
        equal(await familyList(suite), 'pagination.current_page', 1)
        const ids: number[] = []
        for (const page of [1, 2, 3]) {
          const answer = await familyList(suite, `&per_page=2&page=${page}`)
          equal(answer, 'pagination.current_page', page)
          ids.push(...each(answer, 'data', 'id', integer))
        }
        const missing = live.filter(({ id }) => !ids.includes(id))
        hold(missing.length === 0 && ids.length === SIBLINGS, `Three pages of two return the posts ${ids}.`)
      },
    },
    {
      name: '`per_page` is 12 by default, and at most 100',
      proves: '| `per_page` | integer | 12 | max 100 |',
      run: async suite => {
        equal(await familyList(suite), 'pagination.per_page', 12)
        const few = await familyList(suite, '&per_page=2')
        hold(list(few, 'data').length === 2, `${few.request} returns ${list(few, 'data').length} posts.`)
        equal(await familyList(suite, '&per_page=100'), 'pagination.per_page', 100)
        const most = await suite.reader('GET', '/posts?per_page=101')
        if (most.status !== 422) {
          hold(
            integer(succeeds(most, 200), 'pagination.per_page') <= 100,
            `${most.request} allows more than 100.`,
          )
          hold(list(most, 'data').length <= 100, `${most.request} returns more than 100 posts.`)
        }
      },
    },
    {
      name: '`category` filters by the slug of a category',
      proves: '| `category` | string | none | category slug filter |',
      run: async suite => {
        const { live, category } = await family(suite)
        const answer = await familyList(suite, '&per_page=100')
        equal(answer, 'pagination.total', SIBLINGS)
        const ids = each(answer, 'data', 'id', integer)
        hold(
          live.every(({ id }) => ids.includes(id)),
          `The posts of ${category.slug} are ${ids}.`,
        )
      },
    },
    {
      name: '`q` searches posts, and has at least 2 characters',
      proves: '| `q` | string | none | search text, min 2 characters |',
      run: async suite => {
        const { word, live } = await family(suite)
        const answer = succeeds(await suite.reader('GET', `/posts?q=${word}`), 200)
        equal(answer, 'pagination.total', SIBLINGS)
        const ids = each(answer, 'data', 'id', integer)
        hold(
          live.every(({ id }) => ids.includes(id)),
          `${answer.request} finds ${ids.length} of ${SIBLINGS} posts.`,
        )
        isInvalid(await suite.reader('GET', '/posts?q=a'))
        const none = succeeds(await suite.reader('GET', `/posts?q=${word}nowhere`), 200)
        equal(none, 'pagination.total', 0)
      },
    },
  ],
}
