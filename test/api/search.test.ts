// GET /api/v1/search: the hits of a text, their order, and the categories that match.
import { describe, expect, it } from 'vitest'
import { posts } from '../../shared/posts/contract.ts'
import { search } from '../../shared/posts/search-contract.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

async function searchFor(q: string, per_page = 50) {
  return (await world.call(search.search, { query: { q, per_page } })).data
}

async function idsFor(q: string) {
  return (await searchFor(q)).posts.map(({ id }) => id)
}

describe('GET /api/v1/search', () => {
  it('finds posts and pages by prefixes of their words, those with the heaviest field first, then the newest', async () => {
    const post = (body: Record<string, unknown>) => world.create.livePost(body)
    const inBody = await post({ body: '<p>Of quokkas</p>', posted_at: '2024-01-01' })
    const inTitle = await post({ title: 'Quokka', posted_at: '2020-01-01' })
    const inShort = await post({ short_description: 'A quokka!', posted_at: '2021-01-01' })
    const newer = await post({ title: 'The QUOKKA', posted_at: '2022-01-01' })
    const page = await post({ title: 'Quokkas', content_type: 'page', posted_at: '2019-01-01' })
    await world.create.post({ title: 'Quokka draft' })
    await world.create.livePost({ title: 'Quokka of tomorrow', posted_at: '2999-01-01' })

    expect(await idsFor('quokka')).toEqual([newer.id, inTitle.id, page.id, inShort.id, inBody.id])

    const { posts: hits, ...found } = await searchFor(' quokka ', 2)
    expect(found).toEqual({ query: 'quokka', total: 5, categories: [] })
    expect(hits.map(({ id }) => id)).toEqual([newer.id, inTitle.id])
    const { data } = await world.call(posts.getPost, { params: { slug: newer.slug } })
    expect(data).toMatchObject({ ...hits[0] })
    expect(hits[0]).not.toHaveProperty('body')
    const query = { q: 'quokka', include: 'body' }
    const listed = (await world.call(posts.listPosts, { query })).data
    expect(listed.map(({ id }) => id)).toEqual([newer.id, inTitle.id, inShort.id, inBody.id])
    expect(listed.at(-1)?.body).toBe('<p>Of quokkas</p>')
    expect(await idsFor('quokkas')).toEqual([page.id, inBody.id])
    expect(await idsFor('quo')).toEqual(await idsFor('quokka'))
    expect(await idsFor('qu')).toEqual(await idsFor('quokka'))
    expect(await idsFor('okka')).toEqual([])
  })

  it('finds C++, C# and Q&A where they are written, not where a word only begins with their first letter', async () => {
    const mark = world.unique('mark').replace(' ', '')
    const titled = async (title: string) => (await world.create.livePost({ title: `${title} ${mark}` })).id
    const [cpp, csharp] = [await titled('Modern C++'), await titled('C#, not C')]
    await titled('Cats count')
    const qAndA = await titled('Q&A')
    await titled('Q & A')
    expect(await idsFor(`C++ ${mark}`)).toEqual([cpp])
    expect(await idsFor(`c+ ${mark}`)).toEqual([cpp])
    expect(await idsFor(`C# ${mark}`)).toEqual([csharp])
    expect(await idsFor(`Q&A ${mark}`)).toEqual([qAndA])
    expect(await idsFor('C++')).toContain(cpp)
    expect(await idsFor('Q&A')).toEqual([qAndA])
  })

  it('finds posts with 1 MB of combining marks each', async () => {
    const body = `a${'\u0300'.repeat(250_000)}${'\u0316'.repeat(250_000)}`
    const ids: number[] = []
    for (const title of ['Dibbler one', 'Dibbler two']) {
      ids.unshift((await world.create.livePost({ title, body })).id)
    }
    await until('the index to be updated', () => world.isIndexed())
    expect(await idsFor('dibbler')).toEqual(ids)
  })

  it('lists categories that match by name or description, sorted by name', async () => {
    const named = await world.create.category({ name: 'Bandicoots', description: '' })
    const described = await world.create.category({ name: 'Animals', description: 'About the bandicoot.' })
    await world.create.category({ name: 'Other' })
    const { categories } = await searchFor('bandi')
    expect(categories).toEqual([described, named].map(({ id, name, slug }) => ({ id, name, slug })))
  })

  it.each(['a b', '!!', '日 本', '%%'])('has no hits for %j, which contains no word', async q => {
    expect(await searchFor(q)).toMatchObject({ total: 0, posts: [], categories: [] })
  })

  it('returns 422 unless the trimmed text has 2 to 200 characters', async () => {
    for (const q of ['', 'a', ' a ', 'x'.repeat(201)]) {
      expect(await world.call(search.search, { query: { q } })).toMatchObject({
        status: 422,
        fields: { q: ['Must be 2 to 200 characters.'] },
      })
    }
    expect(await world.call(search.search)).toMatchObject({ status: 422, fields: { q: ['Is required.'] } })
    expect(await searchFor(` ${'😀x'.repeat(100)} `)).toMatchObject({ total: 0 })
  })
})
