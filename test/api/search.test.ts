// Search through the gateway: what is found by which words, in which order, and what no longer is.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { search } from '../../shared/search/contract.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'
import { TEXTS } from './search-texts.ts'

const world = useWorld()

async function find(q: string, per_page = 50) {
  return (await world.call(search.search, { query: { q, per_page: String(per_page) } })).data
}

async function idsFor(q: string) {
  return (await find(q)).posts.map(({ id }) => id)
}

/** A change has told the index's queue before it is answered. */
function indexed() {
  return until('the index', () => world.isIdle())
}

async function expectFound(q: string, ids: number[]) {
  await indexed()
  expect(await idsFor(q)).toEqual(ids)
}

function listFor(query: Record<string, string>) {
  return world.call(posts.listPosts, { query })
}

describe('GET /api/v1/search', () => {
  it('finds posts and pages by the beginnings of their words, best field first, then newest', async () => {
    const post = (body: Record<string, unknown>) => world.create.livePost(body)
    const inBody = await post({ body: '<p>Of quokkas</p>', posted_at: '2024-01-01' })
    const inTitle = await post({ title: 'Quokka', posted_at: '2020-01-01' })
    const inShort = await post({ short_description: 'A quokka!', posted_at: '2021-01-01' })
    const newer = await post({ title: 'The QUOKKA', posted_at: '2022-01-01' })
    const page = await post({ title: 'Quokkas', content_type: 'page', posted_at: '2019-01-01' })
    await world.create.post({ title: 'Quokka draft' })
    await world.create.livePost({ title: 'Quokka of tomorrow', posted_at: '2999-01-01' })

    await expectFound('quokka', [newer.id, inTitle.id, page.id, inShort.id, inBody.id])

    const { query, total, posts: found, categories } = await find(' quokka ', 2)
    expect({ query, total, categories }).toEqual({ query: 'quokka', total: 5, categories: [] })
    expect(found.map(({ id }) => id)).toEqual([newer.id, inTitle.id])
    const { data } = await world.call(posts.getPost, { params: { slug: newer.slug } })
    const { body: _, seo_title: __, meta_desc: ___, ...item } = data
    expect(found[0]).toEqual(item)
    expect(await idsFor('quokkas')).toEqual([page.id, inBody.id])
    expect(await idsFor('quo')).toEqual(await idsFor('quokka'))
    expect(await idsFor('qu')).toEqual(await idsFor('quokka'))
    expect(await idsFor('okka')).toEqual([])
  })

  it('asks for every word, and adds up what each find weighs', async () => {
    const both = await world.create.livePost({ title: 'Zebu yak', posted_at: '2020-01-01' })
    const parted = await world.create.livePost({ title: 'Zebu', body: 'yak', posted_at: '2023-01-01' })
    const lower = await world.create.livePost({
      short_description: 'yak',
      body: 'zebu',
      posted_at: '2024-01-01',
    })
    await world.create.livePost({ title: 'Zebu alone' })

    await expectFound('zebu yak', [both.id, parted.id, lower.id])
    expect(await idsFor('ya ze')).toEqual([both.id, parted.id, lower.id])
    expect(await idsFor('zebu yak a')).toEqual([both.id, parted.id, lower.id])
    expect(await idsFor('zebu gnu')).toEqual([])
  })

  it.each(TEXTS)('finds %s', async (_, body, found, not) => {
    const mark = world.unique('mark').replace(' ', '')
    const post = await world.create.livePost({ title: mark, body })
    await expectFound(mark, [post.id])
    for (const q of found) expect(await idsFor(`${q} ${mark}`), q).toEqual([post.id])
    for (const q of not) expect(await idsFor(`${q} ${mark}`), q).toEqual([])
  })

  it('names categories that match by name or description, by name', async () => {
    const named = await world.create.category({ name: 'Bandicoots', description: '' })
    const described = await world.create.category({ name: 'Animals', description: 'About the bandicoot.' })
    await world.create.category({ name: 'Other' })
    const { categories } = await find('bandi')
    expect(categories).toEqual([described, named].map(({ id, name, slug }) => ({ id, name, slug })))
  })

  it.each(['a b', '!!', '日 本', '%%'])('finds nothing for %j, which holds no word', async q => {
    expect(await find(q)).toMatchObject({ total: 0, posts: [], categories: [] })
  })

  it('counts its characters after trimming', async () => {
    for (const q of ['', 'a', ' a ', 'x'.repeat(201)]) {
      expect(await world.call(search.search, { query: { q } })).toMatchObject({
        status: 422,
        fields: { q: ['Must be 2 to 200 characters.'] },
      })
    }
    expect(await world.call(search.search)).toMatchObject({ status: 422, fields: { q: ['Is required.'] } })
    expect(await find(` ${'😀x'.repeat(100)} `)).toMatchObject({ total: 0 })
  })
})

describe('a change of a post', () => {
  it('is followed by what finds it', async () => {
    const post = await world.create.livePost({ title: 'Aardvark', body: 'termites' })
    await expectFound('aardvark', [post.id])
    const change = (body: Record<string, unknown>) =>
      world.call(adminPosts.changePost, { token: world.admin, params: { id: post.id }, body })

    await change({ title: 'Pangolin' })
    await expectFound('pangolin', [post.id])
    expect(await idsFor('aardvark')).toEqual([])
    expect(await idsFor('termites')).toEqual([post.id])

    await change({ body: 'ants' })
    await expectFound('pangolin ants', [post.id])
    expect((await find('termites')).total).toBe(0)
  })

  it('is found as quickly as ever after two posts of 1 MB of combining marks, which are found, too', async () => {
    const marks = `a${'\u0300'.repeat(250_000)}${'\u0316'.repeat(250_000)}`
    const hostile: number[] = []
    for (const title of ['Dibbler one', 'Dibbler two']) {
      hostile.unshift((await world.create.livePost({ title, body: marks })).id)
    }
    const { id } = await world.create.livePost({ title: 'Dibbler three' })
    await expectFound('dibbler', [id, ...hostile])
  })

  it('of more words than an item holds is followed, too', async () => {
    const words = Array.from({ length: 1_400 }, () => randomBytes(95).toString('hex'))
    const [first = '', last = ''] = [words[0], words.at(-1)]
    const { id } = await world.create.livePost({ body: `<p>${words.join(' ')}</p>` })
    await expectFound(first, [id])
    await expectFound(last.slice(0, 50), [id])
    const beginnings = words.slice(0, 20).map(word => word.slice(0, 9))
    await expectFound(beginnings.join(' '), [id])
    expect((await listFor({ q: beginnings.join(' ') })).pagination.total).toBe(1)
    await expectFound([...beginnings.slice(0, 19), 'missing'].join(' '), [])
    await world.call(adminPosts.changePost, { token: world.admin, params: { id }, body: { body: first } })
    await expectFound(last, [])
    await expectFound(first, [id])
  })

  it('that takes it from public view is felt at once, in finds and totals', async () => {
    const [kept, gone, deleted, later] = await Promise.all([
      world.create.livePost({ title: 'Numbat', posted_at: '2020-01-04' }),
      world.create.livePost({ title: 'Numbat', posted_at: '2020-01-03' }),
      world.create.livePost({ title: 'Numbat', posted_at: '2020-01-02' }),
      world.create.livePost({ title: 'Numbat', posted_at: '2020-01-01' }),
    ])
    await expectFound('numbat', [kept.id, gone.id, deleted.id, later.id])
    const admin = (id: number) => ({ token: world.admin, params: { id } })
    await world.call(adminPosts.unpublishPost, admin(gone.id))
    expect((await find('numbat')).total).toBe(3)
    await world.call(adminPosts.deletePost, admin(deleted.id))
    await world.call(adminPosts.changePost, { ...admin(later.id), body: { posted_at: '2999-01-01' } })
    expect(await find('numbat')).toMatchObject({ total: 1, posts: [{ id: kept.id }] })

    await world.call(adminPosts.publishPost, admin(gone.id))
    await expectFound('numbat', [kept.id, gone.id])
    await indexed()
    expect(await find('numbat')).toMatchObject({ total: 2, posts: [{ id: kept.id }, { id: gone.id }] })
  })
})

describe('GET /api/v1/posts?q=', () => {
  it('finds posts alone, page by page, within a category, with bodies', async () => {
    const category = await world.create.category()
    const made = await Promise.all(
      Array.from({ length: 7 }, (_, n) =>
        world.create.livePost({
          title: 'Wombat',
          body: `<p>${n}</p>`,
          posted_at: `2020-01-0${7 - n}`,
          category_ids: n < 3 ? [category.id] : [],
        }),
      ),
    )
    const page = await world.create.livePost({
      title: 'Wombat',
      content_type: 'page',
      posted_at: '2021-01-01',
    })
    const ids = made.map(({ id }) => id)
    await expectFound('wombat', [page.id, ...ids])

    const second = await listFor({ q: 'wombat', page: '2', per_page: '3' })
    expect(second.data.map(({ id }) => id)).toEqual(ids.slice(3, 6))
    expect(second.pagination).toEqual({
      current_page: 2,
      per_page: 3,
      total: 7,
      last_page: 3,
      from: 4,
      to: 6,
    })
    const within = await listFor({ q: 'wombat', category: category.slug, include: 'body' })
    expect(within.data.map(({ id, body }) => [id, body])).toEqual(
      ids.slice(0, 3).map((id, n) => [id, `<p>${n}</p>`]),
    )
    expect(within.pagination.total).toBe(3)
    expect((await listFor({ q: 'wombat', category: 'none-such' })).data).toEqual([])
  })
})
