// What the changes since a cursor say of posts, categories and settings, and what a cursor is. test/histories
// shows that a copy which follows them is right, and test/lambda that hidden posts leave no trace.
import { beforeEach, describe, expect, it } from 'vitest'
import { listDueAfter } from '../../shared/posts/store/scheduled.ts'
import { saveSettings } from '../../shared/site/commands.ts'
import { useTable } from '../support/new-table.ts'
import { linesOf, openOwnSite, openSite, type Site } from './site.ts'

const DAY_MS = 86_400_000

const world = useTable()
let site: Site
let since: string
beforeEach(async () => {
  site ??= await openSite(world)
  // A new cursor tells once more what has become due in this hour, since no worker announces it here.
  since = (await site.pollAll((await site.poll()).next)).next
})

async function linesSince() {
  return linesOf((await site.pollAll(since)).data)
}

describe('a post in the changes', () => {
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
})

describe('a scheduled post in the changes', () => {
  it('is not asked for by a cursor of a clock that is ahead', async () => {
    expect(await listDueAfter(site.table, 'z', site.nowMs() / 1000, 10)).toEqual([])
  })
})

describe('a category in the changes', () => {
  it('is told with one entry `all` for a new name or slug, and alone for a description', async () => {
    const { id } = await site.category('Named')
    const { next } = await site.pollAll(since)
    await site.rename(id, { description: 'New' })
    expect(linesOf((await site.pollAll(next)).data)).toEqual([`category ${id} named upserted`])
    await site.rename(id, { slug: 'slug' })
    await site.rename(id, { name: 'Renamed' })
    expect(linesOf((await site.pollAll(next)).data)).toEqual([
      `category ${id} slug upserted was named`,
      'all upserted',
    ])
  })

  it('is removed, with one entry `all` for the posts and pages that showed it', async () => {
    const { id } = await site.category('Leaving')
    await site.post({ category_ids: [id] })
    const { next } = await site.pollAll(since)
    await site.removeCategory(id)
    expect(linesOf((await site.pollAll(next)).data)).toEqual([
      `category ${id} leaving removed`,
      'all upserted',
    ])
  })
})

describe('the site in the changes', () => {
  it('has an entry for public settings, and none for others', async () => {
    const clock = site.nowMs
    await saveSettings(site.table, { 'auth.token_lifetime_minutes': 60 }, clock)
    expect(await linesSince()).toEqual([])
    await saveSettings(site.table, { 'general.site_name': 'Changes' }, clock)
    const { data } = await site.pollAll(since, { include: 'item' })
    expect(linesOf(data)).toEqual(['settings upserted'])
    expect(data[0]?.item).toMatchObject({ 'general.site_name': 'Changes' })
  })
})

describe('an answer', () => {
  it('has each resource once, at its last change, and goes on after it', async () => {
    const posts = []
    for (let n = 0; n < 5; n++) posts.push(await site.post({ slug: `many-${n}` }))
    const [first] = posts
    await site.change(first?.id ?? 0, { title: 'Changed last' })
    const slugs = (await site.pollAll(since)).data.map(({ slug }) => slug)
    expect(slugs).toEqual(['many-1', 'many-2', 'many-3', 'many-4', 'many-0'])
    const two = await site.poll(since, { limit: 2 })
    expect([two.data.map(({ slug }) => slug), two.more]).toEqual([['many-0', 'many-1'], true])
    const rest = await site.pollAll(two.next, { limit: 2 })
    expect(rest.data.map(({ slug }) => slug)).toEqual(['many-2', 'many-3', 'many-4', 'many-0'])
  })

  it('is shorter if the bodies are too large for one', async () => {
    const body = 'x'.repeat(1_900_000)
    for (let n = 0; n < 4; n++) await site.post({ slug: `large-${n}`, body })
    const { data, more } = await site.poll(since, { include: 'body' })
    expect([data.map(({ slug }) => slug), more]).toEqual([['large-0', 'large-1'], true])
    const all = await site.pollAll(since, { include: 'body' })
    expect(all.data.map(({ slug }) => slug)).toEqual(['large-0', 'large-1', 'large-2', 'large-3'])
  })
})

describe('a cursor', () => {
  it('stays the same without a change, for one round trip and two units, and is renewed each day', async () => {
    const other = await openOwnSite()
    await other.post()
    const { next } = await other.poll()
    const { result, used } = await other.measure(() => other.poll(next))
    expect(result).toEqual({ data: [], next, more: false })
    expect(used).toMatchObject({ roundTrips: 1, readUnits: 2, writeUnits: 0 })
    other.advance(DAY_MS)
    const renewed = await other.poll(next)
    other.advance(3_600_000)
    renewed.next = (await other.poll(next)).next
    expect(renewed.next).not.toBe(next)
    for (let day = 0; day < 40; day += 20) {
      other.advance(20 * DAY_MS)
      renewed.next = (await other.poll(renewed.next)).next
    }
    await other.post({ slug: 'after-forty-days' })
    expect((await other.poll(renewed.next)).data).toMatchObject([{ slug: 'after-forty-days' }])
  })

  it('fails with CURSOR_EXPIRED after 30 days, and with VALIDATION_ERROR if it is of another list', async () => {
    const other = await openOwnSite()
    const { next } = await other.poll()
    other.advance(30 * DAY_MS)
    expect((await other.poll(next)).data).toEqual([])
    // Answers of the same day have the same cursor.
    other.advance(DAY_MS)
    await expect(other.poll(next)).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' })
    await expect(other.poll(`${next}A`)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })
})
