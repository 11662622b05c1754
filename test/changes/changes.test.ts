// What the changes since a cursor say of categories, settings and menus, and what a cursor is.
import { beforeEach, describe, expect, it } from 'vitest'
import { removeMenu, saveMenu } from '../../shared/site/commands/menus.ts'
import { saveSettings } from '../../shared/site/commands/settings.ts'
import { menuFrom } from '../../shared/site/menu.ts'
import { newTable, useTable } from '../world/new-table.ts'
import { linesOf, openSite, type Site } from './site.ts'

const START_MS = Date.parse('2026-01-01T12:00:00Z')
const DAY_MS = 86_400_000

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

describe('a category in the changes', () => {
  it('brings its posts and pages with a new name or slug, and alone with a new description', async () => {
    const { id } = await site.category('Named')
    const post = await site.post({ slug: 'in-it', category_ids: [id] })
    const page = await site.post({ slug: 'page-in-it', content_type: 'page', category_ids: [id] })
    await site.post({ slug: 'scheduled-in-it', category_ids: [id], posted_at: site.nowMs() / 1000 + 3_600 })
    await site.post({ slug: 'outside' })
    const { next } = await site.pollAll(since)
    await site.rename(id, { description: 'New' })
    expect(linesOf((await site.pollAll(next)).data)).toEqual([`category ${id} named upserted`])
    await site.rename(id, { slug: 'renamed' })
    const lines = [
      `category ${id} renamed upserted was named`,
      `post ${post.id} in-it upserted`,
      `page ${page.id} page-in-it upserted`,
    ]
    expect(linesOf((await site.pollAll(next)).data)).toEqual(lines)
    expect(linesOf((await site.pollAll(next, { limit: 1 })).data)).toEqual(lines)
  })

  it('is removed, and its posts and pages are upserted without it', async () => {
    const { id } = await site.category('Leaving')
    const post = await site.post({ slug: 'stays', category_ids: [id] })
    const page = await site.post({ slug: 'page-stays', content_type: 'page', category_ids: [id] })
    const { next } = await site.pollAll(since)
    await site.removeCategory(id)
    const { data } = await site.pollAll(next, { include: 'item', limit: 2 })
    expect(linesOf(data)).toEqual([
      `category ${id} leaving removed`,
      `post ${post.id} stays upserted`,
      `page ${page.id} page-stays upserted`,
    ])
    expect(data.map(({ item }) => item && 'categories' in item && item.categories)).toEqual([
      undefined,
      [],
      [],
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

  it('has an entry for a menu that is saved or removed', async () => {
    const menu = menuFrom('footer', { items: [] })
    await saveMenu(site.work(), menu)
    const saved = await site.pollAll(since, { include: 'body' })
    expect(saved.data).toMatchObject([
      { type: 'menu', id: null, slug: 'footer', change: 'upserted', item: menu },
    ])
    await removeMenu(site.work(), 'footer')
    expect(linesOf((await site.pollAll(saved.next)).data)).toEqual(['menu footer removed'])
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
    const own = await newTable()
    const other = await openSite(own, START_MS)
    await other.post()
    const { next } = await other.poll()
    const { result, used } = await own.measure(() => other.poll(next))
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
    await own.stop()
  })

  it('fails with CURSOR_EXPIRED after 30 days, and with VALIDATION_ERROR if it is of another list', async () => {
    const own = await newTable()
    const other = await openSite(own, START_MS)
    const { next } = await other.poll()
    other.advance(30 * DAY_MS)
    expect((await other.poll(next)).data).toEqual([])
    // Answers of the same hour have the same cursor.
    other.advance(3_600_000)
    await expect(other.poll(next)).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' })
    await expect(other.poll(`${next}A`)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    await own.stop()
  })
})
