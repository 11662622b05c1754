// What the changes since a cursor say of an author or a large category: its posts, or one entry `all`.
import { describe, expect, it } from 'vitest'
import { changeUser, createUser } from '../../shared/accounts/commands/users.ts'
import { newTable } from '../world/new-table.ts'
import { linesOf, openSite } from './site.ts'

const START_MS = Date.parse('2026-01-01T12:00:00Z')
const OTHER_AUTHOR = { name: 'Bea', email: 'bea@example.com', email_verified: true, password_hash: null }

describe('an author in the changes', () => {
  it('brings the posts and pages with a new name or picture, and nothing with another change', async () => {
    const own = await newTable()
    const { author, ...other } = await openSite(own, START_MS)
    const post = await other.post({ slug: 'written' })
    const page = await other.post({ slug: 'page-written', content_type: 'page' })
    await other.post({ slug: 'draft', is_published: false })
    const { next } = await other.poll()
    await changeUser(
      other.table,
      author.id,
      user => ({ ...user, bio: 'New' }),
      change => other.work().commit(change),
    )
    expect((await other.poll(next)).data).toEqual([])
    for (const change of [{ name: 'Ada Lovelace' }, { avatar: 'https://a.example/ada.png' }]) {
      await changeUser(
        other.table,
        author.id,
        user => ({ ...user, ...change }),
        all => other.work().commit(all),
      )
      const { data } = await other.pollAll(next, { include: 'item' })
      expect(linesOf(data)).toEqual([
        `post ${post.id} written upserted`,
        `page ${page.id} page-written upserted`,
      ])
      expect(data[0]?.item).toMatchObject({ author: { name: 'Ada Lovelace' } })
    }
    await own.stop()
  })

  it('brings only the posts and pages of this author on a site with more posts than are listed', async () => {
    const own = await newTable()
    const { author, ...large } = await openSite(own, START_MS, { posts: 4, read: 3 })
    const bea = await createUser(large.table, OTHER_AUTHOR, START_MS / 1000)
    const lines = []
    for (const [n, authorId] of [author.id, bea.id, author.id, bea.id, author.id, author.id].entries()) {
      const { id, slug } = await large.post({ slug: `large-${n}` }, authorId)
      if (authorId === bea.id) lines.unshift(`post ${id} ${slug} upserted`)
    }
    const page = await large.post({ slug: 'page-of-bea', content_type: 'page' }, bea.id)
    lines.push(`page ${page.id} page-of-bea upserted`)
    const { next } = await large.pollAll((await large.poll()).next)
    await large.renameUser(bea.id, 'Beatrice')
    expect(linesOf((await large.pollAll(next)).data)).toEqual(lines)
    expect(linesOf((await large.pollAll(next, { limit: 1 })).data)).toEqual(lines)
    await own.stop()
  })

  it('is one entry `all` with more posts than are listed, also if the last of them is a page', async () => {
    const own = await newTable()
    const { author, ...large } = await openSite(own, START_MS, { posts: 3, read: 2 })
    for (let n = 0; n < 3; n++) await large.post()
    const { next } = await large.pollAll((await large.poll()).next)
    await large.renameUser(author.id, 'Eve')
    expect((await large.pollAll(next)).data).toHaveLength(3)
    await large.post({ content_type: 'page' })
    const later = await large.pollAll((await large.poll()).next)
    await large.renameUser(author.id, 'Eva')
    expect(linesOf((await large.pollAll(later.next)).data)).toEqual(['all upserted'])
    await own.stop()
  })

  it('misses no post while others are published and removed between two answers', async () => {
    const own = await newTable()
    const { author, ...large } = await openSite(own, START_MS, { posts: 6, read: 2 })
    const bea = await createUser(large.table, OTHER_AUTHOR, START_MS / 1000)
    const ofBea: number[] = []
    for (let n = 0; n < 12; n++) {
      const { id } = await large.post({}, n % 3 === 0 ? bea.id : author.id)
      if (n % 3 === 0) ofBea.push(id)
    }
    let { next: cursor } = await large.pollAll((await large.poll()).next)
    await large.renameUser(bea.id, 'Beatrice')
    const met = new Set<number | null>()
    const gone = ofBea[1] ?? 0
    for (let n = 0, more = true; more; n++) {
      const answer = await large.poll(cursor, { limit: 1 })
      for (const { id } of answer.data) met.add(id)
      cursor = answer.next
      more = answer.more
      if (n < 8) await large.post({}, n % 2 === 0 ? bea.id : author.id)
      if (n === 4) await large.remove(gone)
    }
    expect(ofBea.filter(id => id !== gone && !met.has(id))).toEqual([])
    await own.stop()
  })
})

describe('a category with more posts than are listed', () => {
  it('is one entry `all`, without those that are scheduled', async () => {
    const own = await newTable()
    const large = await openSite(own, START_MS, { posts: 2, read: 2 })
    const { id } = await large.category('Large')
    for (let n = 0; n < 2; n++) await large.post({ category_ids: [id] })
    await large.post({ category_ids: [id], posted_at: START_MS / 1000 + 86_400 })
    await large.post({ content_type: 'page' })
    const { next } = await large.pollAll((await large.poll()).next)
    await large.rename(id, { name: 'Larger' })
    expect((await large.pollAll(next)).data.map(({ type }) => type)).toEqual(['category', 'post', 'post'])
    await large.post({ category_ids: [id] })
    const later = await large.pollAll((await large.poll()).next)
    await large.rename(id, { name: 'Largest' })
    expect(linesOf((await large.pollAll(later.next)).data)).toEqual([
      `category ${id} large upserted`,
      'all upserted',
    ])
    await own.stop()
  })
})
