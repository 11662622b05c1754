// GET /api/v1/search after posts were changed, unpublished or deleted.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { useWorld } from '../world/world.ts'
import { searchesIn } from './searches.ts'

const world = useWorld()
const { searchFor, idsFor, indexed, expectHits, listPosts } = searchesIn(world)

describe('GET /api/v1/search', () => {
  // The first of this file: when half of the index is of removed posts, its worker merges all segments.
  it('finds nothing of the only post after it was changed and unpublished', async () => {
    const { id } = await world.create.livePost({ title: 'Quokka' })
    const admin = { token: world.admin, params: { id } }
    await world.call(adminPosts.changePost, { ...admin, body: { title: 'Another quokka' } })
    await indexed()
    await expectHits('quokka', [id])
    await world.call(adminPosts.unpublishPost, admin)
    await indexed()
    await expectHits('quokka', [])
  })

  it('finds a post by its new words and no longer by the old ones after a change', async () => {
    const post = await world.create.livePost({ title: 'Aardvark', body: 'termites' })
    await expectHits('aardvark', [post.id])
    const change = (body: Record<string, unknown>) =>
      world.call(adminPosts.changePost, { token: world.admin, params: { id: post.id }, body })

    await change({ title: 'Pangolin' })
    await expectHits('pangolin', [post.id])
    expect(await idsFor('aardvark')).toEqual([])
    expect(await idsFor('termites')).toEqual([post.id])

    await change({ body: 'ants' })
    await expectHits('pangolin ants', [post.id])
    expect((await searchFor('termites')).total).toBe(0)
  })

  it('finds a new post and two earlier ones with 1 MB of combining marks each', async () => {
    const marks = `a${'\u0300'.repeat(250_000)}${'\u0316'.repeat(250_000)}`
    const hostile: number[] = []
    for (const title of ['Dibbler one', 'Dibbler two']) {
      hostile.unshift((await world.create.livePost({ title, body: marks })).id)
    }
    const { id } = await world.create.livePost({ title: 'Dibbler three' })
    await indexed()
    await expectHits('dibbler', [id, ...hostile])
  })

  it('finds a post with more words than fit into an item, even after a change', async () => {
    const words = Array.from({ length: 1_400 }, () => randomBytes(95).toString('hex'))
    const [first = '', last = ''] = [words[0], words.at(-1)]
    const { id } = await world.create.livePost({ body: `<p>${words.join(' ')}</p>` })
    await indexed()
    await expectHits(first, [id])
    await expectHits(last.slice(0, 50), [id])
    const prefixes = words.slice(0, 20).map(word => word.slice(0, 9))
    await expectHits(prefixes.join(' '), [id])
    expect((await listPosts({ q: prefixes.join(' ') })).pagination.total).toBe(1)
    await expectHits([...prefixes.slice(0, 19), 'missing'].join(' '), [])
    await world.call(adminPosts.changePost, { token: world.admin, params: { id }, body: { body: first } })
    await expectHits(last, [])
    await expectHits(first, [id])
  })

  it('omits posts from hits and total as soon as they leave public view', async () => {
    const [unchanged, unpublished, deleted, postponed] = await Promise.all([
      world.create.livePost({ title: 'Numbat', posted_at: '2020-01-04' }),
      world.create.livePost({ title: 'Numbat', posted_at: '2020-01-03' }),
      world.create.livePost({ title: 'Numbat', posted_at: '2020-01-02' }),
      world.create.livePost({ title: 'Numbat', posted_at: '2020-01-01' }),
    ])
    await expectHits('numbat', [unchanged.id, unpublished.id, deleted.id, postponed.id])
    const admin = (id: number) => ({ token: world.admin, params: { id } })
    await world.call(adminPosts.unpublishPost, admin(unpublished.id))
    expect((await searchFor('numbat')).total).toBe(3)
    await world.call(adminPosts.deletePost, admin(deleted.id))
    await world.call(adminPosts.changePost, { ...admin(postponed.id), body: { posted_at: '2999-01-01' } })
    expect(await searchFor('numbat')).toMatchObject({ total: 1, posts: [{ id: unchanged.id }] })

    await world.call(adminPosts.publishPost, admin(unpublished.id))
    await expectHits('numbat', [unchanged.id, unpublished.id])
    await indexed()
    expect(await searchFor('numbat')).toMatchObject({
      total: 2,
      posts: [{ id: unchanged.id }, { id: unpublished.id }],
    })
  })
})
