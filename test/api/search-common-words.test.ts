// Search for a word that so many posts have that its postings are records of their own.
import { describe, expect, it } from 'vitest'
import { updatePostingLists } from '../../shared/search/commands/update-posting-lists.ts'
import { search } from '../../shared/search/contract.ts'
import type { Posting } from '../../shared/search/posting.ts'
import { MOST_INLINE } from '../../shared/search/posting-list.ts'
import { LIGHTEST } from '../../shared/search/weights.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const WORD = 'kultarr'
async function find(per_page: string) {
  return (await world.call(search.search, { query: { q: WORD, per_page } })).data
}

/** A change has told the index's queue before it is answered. */
async function publish(posted_at: string) {
  const { id } = await world.create.livePost({ title: WORD, posted_at })
  await until('the index', () => world.isIdle())
  return { id }
}

/** Of posts that are gone, as a restored table may have them: the word leaves its record all the same. */
const gone = Array.from(
  { length: MOST_INLINE },
  (_, n): Posting => ({ weight: LIGHTEST, posted_at: 1, id: 1_000_000 + n, is_page: false }),
)
function changeGone(change: { remove: Posting[]; add: Posting[] }) {
  return updatePostingLists(world.table, new Map([[WORD, change]]))
}

describe('GET /api/v1/search', () => {
  it('finds a word that more posts have than its record holds', async () => {
    await changeGone({ remove: [], add: gone })
    const older = await publish('2020-01-01')
    const newer = await publish('2020-01-02')
    expect(await find('2')).toMatchObject({ posts: [newer, older] })
    await changeGone({ remove: gone, add: [] })
    expect(await find('50')).toMatchObject({ total: 2, posts: [newer, older] })
  })
})
