// What the changes since a cursor say of posts and pages, published and scheduled ones.
import { beforeEach, describe, expect, it } from 'vitest'
import { listDueAfter } from '../../shared/posts/store/scheduled.ts'
import { useTable } from '../world/new-table.ts'
import { linesOf, openSite, type Site } from './site.ts'

const START_MS = Date.parse('2026-01-01T12:00:00Z')

const world = useTable()
let site: Site
let since: string
beforeEach(async () => {
  site ??= await openSite(world, START_MS)
  // A new cursor tells once more what has become due in this hour, since no worker announces it here.
  since = (await site.pollAll((await site.poll()).next)).next
})

async function linesSince() {
  return linesOf((await site.pollAll(since)).data)
}

describe('a post in the changes', () => {
  it('is upserted when it is published and when it changes, and a draft is not shown', async () => {
    const draft = await site.post({ slug: 'draft', is_published: false })
    await site.change(draft.id, { slug: 'still-a-draft' })
    expect(await linesSince()).toEqual([])
    await site.change(draft.id, { is_published: true })
    expect(await linesSince()).toEqual([`post ${draft.id} still-a-draft upserted`])
    const { next } = await site.pollAll(since)
    await site.change(draft.id, { title: 'Another title' })
    await site.change(draft.id, { title: 'Yet another title' })
    const { data } = await site.pollAll(next)
    expect(linesOf(data)).toEqual([`post ${draft.id} still-a-draft upserted`])
  })

  it('names the slug that it had before, once for all changes since', async () => {
    const { id } = await site.post({ slug: 'first' })
    const { next } = await site.pollAll(since)
    await site.change(id, { slug: 'second' })
    await site.change(id, { slug: 'third' })
    expect(linesOf((await site.pollAll(next)).data)).toEqual([`post ${id} third upserted was first`])
    await site.change(id, { slug: 'first' })
    expect(linesOf((await site.pollAll(next)).data)).toEqual([`post ${id} first upserted`])
  })

  it('is removed under its public slug when it is unpublished, moved to the future or deleted', async () => {
    const away = [
      (id: number) => site.change(id, { is_published: false, slug: `secret-${id}` }),
      (id: number) => site.change(id, { posted_at: site.nowMs() / 1000 + 3_600, slug: `secret-${id}` }),
      (id: number) => site.remove(id),
    ]
    for (const [n, leave] of away.entries()) {
      const { id } = await site.post({ slug: `public-${n}` })
      const { next } = await site.pollAll(since)
      await leave(id)
      expect(linesOf((await site.pollAll(next)).data)).toEqual([`post ${id} public-${n} removed`])
      // Also if it has changed since, as a draft.
      if (n < 2) await site.change(id, { slug: `other-${id}` })
      expect(linesOf((await site.pollAll(next)).data)).toEqual([`post ${id} public-${n} removed`])
    }
  })

  it('is never named if it was scheduled, and unpublished or deleted before its time', async () => {
    const later = site.nowMs() / 1000 + 3_600
    const { id } = await site.post({ posted_at: later })
    await site.change(id, { is_published: false })
    const other = await site.post({ posted_at: later })
    await site.change(other.id, { posted_at: later + 60 })
    await site.remove(other.id)
    expect(await linesSince()).toEqual([])
  })
})

describe('a scheduled post in the changes', () => {
  it('is upserted from its second on, also while no worker announces it', async () => {
    const category = await site.category('Soon')
    const dueMs = site.nowMs() + 60_000
    const { id } = await site.post({ slug: 'due', posted_at: dueMs / 1000, category_ids: [category.id] })
    const { next } = await site.pollAll(since)
    site.advance(dueMs - 7_000 - site.nowMs())
    const before = await site.poll(next)
    expect([before.data, before.next]).toEqual([[], next])
    const due = await site.pollAll(next, { limit: 1 })
    expect(linesOf(due.data)).toEqual([`post ${id} due upserted`, `category ${category.id} soon upserted`])
    expect(Date.parse(due.data[0]?.at ?? '')).toBe(dueMs)
    expect((await site.poll(due.next)).data).toEqual([])
  })

  it('is not asked for by a cursor of a clock that is ahead', async () => {
    expect(await listDueAfter(site.table, 'z', site.nowMs() / 1000, 10)).toEqual([])
  })
})
