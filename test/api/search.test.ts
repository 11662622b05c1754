// GET /api/v1/search: what a text finds besides posts. test/histories and test/search compare the hits.
import { describe, expect, it } from 'vitest'
import { posts } from '../../shared/posts/contract.ts'
import { search } from '../../shared/posts/search-contract.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

async function searchFor(q: string, per_page = 50) {
  return (await world.call(search.search, { query: { q, per_page } })).data
}

describe('GET /api/v1/search', () => {
  it('finds posts alone for the list of posts, with their bodies if it is asked', async () => {
    const { id } = await world.create.livePost({ title: 'Quokka', body: '<p>Of quokkas</p>' })
    await world.create.livePost({ title: 'Quokkas', content_type: 'page' })
    const { data } = await world.call(posts.listPosts, { query: { q: 'quokka', include: 'body' } })
    expect(data).toMatchObject([{ id, body: '<p>Of quokkas</p>' }])
    expect((await searchFor('quokka')).total).toBe(2)
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
    const refused = { status: 422, fields: { q: ['Must be 2 to 200 characters.'] } }
    for (const q of ['', 'a', ' a ', 'x'.repeat(201)]) {
      expect(await world.call(search.search, { query: { q } })).toMatchObject(refused)
    }
    expect(await world.call(search.search)).toMatchObject({ status: 422, fields: { q: ['Is required.'] } })
    expect(await searchFor(` ${'😀x'.repeat(100)} `)).toMatchObject({ total: 0 })
  })
})
