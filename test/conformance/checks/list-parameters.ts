// "Query parameters of `GET /api/v1/posts`".
import { equal, hold, isInvalid, succeeds } from '../answer.ts'
import type { Section } from '../check.ts'
import { family, familyList, includesFamily, SIBLINGS } from '../records.ts'
import type { Suite } from '../suite.ts'
import { each, integer, list } from '../values.ts'

/** Another default than 12 and more than 100 fall short; the largest may be refused or cut. */
export async function perPage(suite: Suite): Promise<void> {
  equal(await familyList(suite), 'pagination.per_page', 12)
  const few = await familyList(suite, '&per_page=2')
  hold(list(few, 'data').length === 2, `${few.request} returns ${list(few, 'data').length} posts.`)
  equal(await familyList(suite, '&per_page=100'), 'pagination.per_page', 100)
  const most = await suite.reader('GET', '/posts?per_page=101')
  if (most.status === 422) return
  const size = integer(succeeds(most, 200), 'pagination.per_page')
  hold(size <= 100 && list(most, 'data').length <= 100, `${most.request} allows more than 100.`)
}

export async function categoryFilter(suite: Suite): Promise<void> {
  const answer = await familyList(suite, '&per_page=100')
  equal(answer, 'pagination.total', SIBLINGS)
  await includesFamily(suite, answer)
}

export const LIST_PARAMETERS: Section = {
  part: 'contract',
  title: 'Parameters of GET /posts',
  checks: {
    '| `page` | integer | 1 | page number |': async suite => {
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
    '| `per_page` | integer | 12 | max 100 |': perPage,
    '| `category` | string | none | category slug filter |': categoryFilter,
    '| `q` | string | none | search text, min 2 characters |': async suite => {
      const { word } = await family(suite)
      const answer = succeeds(await suite.reader('GET', `/posts?q=${word}`), 200)
      equal(answer, 'pagination.total', SIBLINGS)
      await includesFamily(suite, answer)
      isInvalid(await suite.reader('GET', '/posts?q=a'))
      const none = succeeds(await suite.reader('GET', `/posts?q=${word}nowhere`), 200)
      equal(none, 'pagination.total', 0)
    },
  },
}
