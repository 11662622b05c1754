// The list of pages reads its entries and the keys of scheduled pages side by side: a change between both
// shows none of them.
import { describe, expect, it } from 'vitest'
import { updatePost } from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { PAGES } from '../../shared/posts/lists.ts'
import { publicReads } from '../../shared/posts/store/post-lists.ts'
import { SCHEDULED_PARTITION } from '../../shared/table/design.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'

const NOW_SECONDS = 1_800_000_000
const world = useTable()

/** Runs before the scheduled pages are read, and after the entries of the list were. */
function betweenReads(run: () => Promise<unknown>): void {
  const read = Promise.withResolvers<void>()
  const remove = world.client.around(async (next, operation, input) => {
    if (operation !== 'Query') return await next()
    if (!JSON.stringify(input).includes(SCHEDULED_PARTITION)) {
      const answer = await next()
      read.resolve()
      return answer
    }
    await read.promise
    remove()
    await run()
    return await next()
  })
}

describe('the list of pages', () => {
  it.each([
    ['is retracted', { is_published: false }],
    ['gets another title', { title: 'A' }],
  ])('does not show a scheduled page that %s while it is read', async (_, change) => {
    const work = unitOfWorkOn(world.table, NOW_SECONDS * 1000)
    const input = { title: 'P', content_type: 'page' as const, is_published: true }
    const shown = await createPost(work, input, 1)
    const { data } = await createPost(work, { ...input, posted_at: NOW_SECONDS + 3_600 }, 1)
    betweenReads(() => updatePost(work, { id: data.id, requireMatch: () => undefined }, change))
    const { items } = await publicReads(world.table, PAGES, NOW_SECONDS).page(1, 12)
    expect(items.map(({ id }) => id)).toContain(shown.data.id)
    expect(items.map(({ id }) => id)).not.toContain(data.id)
  })
})
