// GET /api/v1/search for a word in so many posts that its posting list has blocks.
import { describe, expect, it } from 'vitest'
import { updatePostingLists } from '../../shared/search/commands/update-posting-lists.ts'
import type { Posting } from '../../shared/search/posting.ts'
import { MAX_INLINE } from '../../shared/search/posting-list.ts'
import { LIGHTEST } from '../../shared/search/weights.ts'
import { useWorld } from '../world/world.ts'
import { searchesIn } from './searches.ts'

const world = useWorld()
const { searchFor, indexed } = searchesIn(world)

const WORD = 'kultarr'

async function publish(posted_at: string) {
  const { id } = await world.create.livePost({ title: WORD, posted_at })
  await indexed()
  return { id }
}

/** Postings of posts that do not exist, as in a restored table. */
const orphans = Array.from(
  { length: MAX_INLINE },
  (_, n): Posting => ({ weight: LIGHTEST, posted_at: 1, id: 1_000_000 + n, is_page: false }),
)
function changeOrphans(change: { remove: Posting[]; add: Posting[] }) {
  return updatePostingLists(world.table, new Map([[WORD, change]]))
}

describe('GET /api/v1/search', () => {
  it('finds a word in more posts than fit into a small posting list', async () => {
    await changeOrphans({ remove: [], add: orphans })
    const older = await publish('2020-01-01')
    const newer = await publish('2020-01-02')
    expect(await searchFor(WORD, 2)).toMatchObject({ posts: [newer, older] })
    await changeOrphans({ remove: orphans, add: [] })
    expect(await searchFor(WORD)).toMatchObject({ total: 2, posts: [newer, older] })
  })
})
