// Searches for scheduled posts during an announcement, and their cost. test/histories has what they find.
import { describe, expect, it } from 'vitest'
import { announceDue } from '../../shared/posts/commands/announce.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { findHits } from '../../shared/search/hits.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'

const world = useTable()

/** The posts are written at NOW. */
const NOW = 1_800_000_000
const DUE = NOW + 60

async function scheduled(body: string, posted_at = DUE): Promise<number> {
  const input = { title: 'Scheduled', body, is_published: true, posted_at }
  return (await createPost(unitOfWorkOn(world.table, NOW * 1000), input, 1)).data.id
}

async function foundAt(nowSeconds: number, word: string) {
  const request = { words: [word], types: 'all' as const, nowSeconds, skip: 0, take: 50 }
  return (await findHits(world.table, request)).ids
}

describe('a scheduled post', () => {
  it('is found by every search while it is being announced', async () => {
    for (let n = 0; n < 20; n++) {
      const id = await scheduled(`wallaby${n}`)
      let isAnnounced = false
      const work = unitOfWorkOn(world.table, DUE * 1000)
      const announcing = announceDue(work, { kind: 'due', post_id: id, posted_at: DUE }).then(() => {
        isAnnounced = true
      })
      while (!isAnnounced) expect(await foundAt(DUE, `wallaby${n}`)).toEqual([id])
      await announcing
    }
  })
})

describe('a search', () => {
  it('costs the same with a hundred scheduled posts, and when it is repeated while some are due', async () => {
    const cost = async (nowSeconds: number) =>
      (await world.measure(() => foundAt(nowSeconds, 'antechinus'))).used
    await foundAt(NOW, 'antechinus')
    const before = await cost(NOW)
    for (let n = 0; n < 100; n++) await scheduled('antechinus', DUE + n)
    expect(await cost(NOW)).toEqual(before)
    expect(await foundAt(DUE + 1, 'antechinus')).toHaveLength(2)
    expect(await cost(DUE + 1)).toEqual(before)
  })
})
