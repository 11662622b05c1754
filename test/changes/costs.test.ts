// What one answer reads after many changes of each kind: a bounded number of units, whatever the rows say.
import { describe, expect, it } from 'vitest'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { saveMenu, saveSettings } from '../../shared/site/commands.ts'
import { menuFrom } from '../../shared/site/menu.ts'
import { openOwnSite, type Site } from './site.ts'

const CHANGES = 100
const MOST_UNITS = 150
const CATEGORIES_OF_A_POST = 12

type Change = (site: Site, n: number) => Promise<unknown>

async function createAuthor({ table, nowMs }: Site, n: number) {
  const profile = { name: `A ${n}`, email: `a${n}@example.com`, email_verified: true, password_hash: null }
  return await createUser(table, profile, Math.floor(nowMs() / 1000))
}

/** A post with an author and categories of its own: as many names as possible. */
async function postWithOwnNames(site: Site, n: number): Promise<number> {
  const { id } = await createAuthor(site, n)
  const category_ids: number[] = []
  for (let m = 0; m < CATEGORIES_OF_A_POST; m++) category_ids.push((await site.category(`C ${n} ${m}`)).id)
  return (await site.post({ slug: `named-${n}`, category_ids, body: 'Body' }, id)).id
}

const KINDS: Record<string, (site: Site) => Promise<Change>> = {
  'names of a user who has written nothing': async site => {
    const { id } = await createAuthor(site, 0)
    return (_, n) => site.changeUser(id, { name: `Name ${n}` })
  },
  'names of an author': async site => {
    await site.post()
    return (_, n) => site.changeUser(site.author.id, { name: `Name ${n}` })
  },
  'names of a category with posts': async site => {
    const { id } = await site.category('Named')
    await site.post({ category_ids: [id] })
    return (_, n) => site.rename(id, { name: `Name ${n}` })
  },
  'new categories': async () => (site, n) => site.category(`Category ${n}`),
  settings: async () => (site, n) =>
    saveSettings(site.table, { 'general.site_name': `Site ${n}` }, site.nowMs),
  menus: async () => (site, n) => saveMenu(site.work(), menuFrom(`menu-${n}`, { items: [] })),
  'edits of one post': async site => {
    const { id } = await site.post()
    return (_, n) => site.change(id, { title: `Title ${n}` })
  },
  'new posts of one author': async () => (site, n) => site.post({ slug: `post-${n}`, body: 'Body' }),
  'drafts and scheduled posts': async () => (site, n) =>
    site.post(n % 2 ? { is_published: false } : { posted_at: site.nowMs() / 1000 + 86_400 }),
}

/** Walks all changes since a cursor, and returns the units of the dearest answer. */
async function dearestAnswer(site: Awaited<ReturnType<typeof openOwnSite>>, since: string) {
  let most = 0
  for (const include of [undefined, 'item', 'body'] as const) {
    let cursor = since
    for (let more = true; more; ) {
      const { result, used } = await site.measure(() => site.poll(cursor, { include }))
      most = Math.max(most, used.readUnits)
      cursor = result.next
      more = result.more
    }
  }
  return most
}

describe('one answer of changes', () => {
  it.each(Object.entries(KINDS))('reads at most 150 units after 100 %s', async (_, start) => {
    const site = await openOwnSite()
    const change = await start(site)
    const { next } = await site.poll()
    for (let n = 0; n < CHANGES; n++) await change(site, n)
    expect(await dearestAnswer(site, next)).toBeLessThanOrEqual(MOST_UNITS)
  })

  it('reads at most 150 units if each post has an author and categories of its own, and leaves out no post', async () => {
    const site = await openOwnSite()
    const ids: number[] = []
    for (let n = 0; n < 20; n++) ids.push(await postWithOwnNames(site, n))
    const { next } = await site.poll()
    for (const id of ids) await site.change(id, { title: 'Changed' })
    expect(await dearestAnswer(site, next)).toBeLessThanOrEqual(MOST_UNITS)
    const { data } = await site.pollAll(next, { include: 'body' })
    expect(data.map(({ id }) => id)).toEqual(ids)
  })
})
