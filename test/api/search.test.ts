// GET /api/v1/search: the hits of a text, their order, and the categories that match.
import { describe, expect, it } from 'vitest'
import { posts, search } from '../../shared/posts/contract.ts'
import { useWorld } from '../world/world.ts'
import { searchesIn } from './searches.ts'

const world = useWorld()
const { searchFor, idsFor, expectHits } = searchesIn(world)

/** The words of each script: test/rules/tokenizer.test.ts. */
const TEXTS: [what: string, body: string, matching: string[], others: string[]][] = [
  [
    'names of languages, and letters that are joined',
    '<p>C++17, F#; R&amp;D of ASP.NET, 24/7 I/O</p>',
    ['C++', 'c+', 'C++17', 'f#', 'R&D', '.NET', 'i/o'],
    ['C#', 'c++ c#', 'd&r', 'f++'],
  ],
  [
    'numbers with dots by their beginnings, and by their parts',
    'Node.js v2.0.1 after 0.10.33-rc',
    ['2.0.1', 'v2.0.1', '2.0', 'v2', '0.10', '10', '33', '0.10.33-rc'],
    ['2.1', '0.1.1', 'v2.0.2', '20', '2.0.10'],
  ],
  ['Japanese', '<p>吾輩は猫である。名前はまだ無い。</p>', ['猫で', '名前', '吾輩は猫'], ['猫前']],
  ['Chinese next to Latin', '使用TypeScript编写', ['编写', 'typescript', '使用'], ['用编']],
  [
    'Hindi with and without nuktas',
    'ख़बर क\u093cलम सड़क',
    ['खबर', 'ख\u093cबर', 'कलम', '\u0958लम', 'सडक'],
    ['लम'],
  ],
]

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

    await expectHits('quokka', [newer.id, inTitle.id, page.id, inShort.id, inBody.id])

    const { query, total, posts: hits, categories } = await searchFor(' quokka ', 2)
    expect({ query, total, categories }).toEqual({ query: 'quokka', total: 5, categories: [] })
    expect(hits.map(({ id }) => id)).toEqual([newer.id, inTitle.id])
    const { data } = await world.call(posts.getPost, { params: { slug: newer.slug } })
    expect(data).toMatchObject({ ...hits[0] })
    expect(hits[0]).not.toHaveProperty('body')
    expect(await idsFor('quokkas')).toEqual([page.id, inBody.id])
    expect(await idsFor('quo')).toEqual(await idsFor('quokka'))
    expect(await idsFor('qu')).toEqual(await idsFor('quokka'))
    expect(await idsFor('okka')).toEqual([])
  })

  it('requires every word, and ranks by the sum of their weights', async () => {
    const both = await world.create.livePost({ title: 'Zebu yak', posted_at: '2020-01-01' })
    const separate = await world.create.livePost({ title: 'Zebu', body: 'yak', posted_at: '2023-01-01' })
    const lower = await world.create.livePost({
      short_description: 'yak',
      body: 'zebu',
      posted_at: '2024-01-01',
    })
    await world.create.livePost({ title: 'Zebu alone' })

    await expectHits('zebu yak', [both.id, separate.id, lower.id])
    expect(await idsFor('ya ze')).toEqual([both.id, separate.id, lower.id])
    expect(await idsFor('zebu yak a')).toEqual([both.id, separate.id, lower.id])
    expect(await idsFor('zebu gnu')).toEqual([])
  })

  it.each(TEXTS)('finds %s', async (_, body, matching, others) => {
    const mark = world.unique('mark').replace(' ', '')
    const post = await world.create.livePost({ title: mark, body })
    await expectHits(mark, [post.id])
    for (const q of matching) expect(await idsFor(`${q} ${mark}`), q).toEqual([post.id])
    for (const q of others) expect(await idsFor(`${q} ${mark}`), q).toEqual([])
  })

  it('finds C++, C# and Q&A where they are written, not where a word only begins with their first letter', async () => {
    const mark = world.unique('mark').replace(' ', '')
    const titled = async (title: string) => (await world.create.livePost({ title: `${title} ${mark}` })).id
    const [cpp, csharp] = [await titled('Modern C++'), await titled('C#, not C')]
    await titled('Cats count')
    const qAndA = await titled('Q&A')
    await titled('Q & A')
    await expectHits(`C++ ${mark}`, [cpp])
    await expectHits(`c+ ${mark}`, [cpp])
    await expectHits(`C# ${mark}`, [csharp])
    await expectHits(`Q&A ${mark}`, [qAndA])
    expect(await idsFor('C++')).toContain(cpp)
    expect(await idsFor('Q&A')).toEqual([qAndA])
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
