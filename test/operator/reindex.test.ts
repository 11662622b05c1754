// The search index: what the doctor reports and repairs, and the rebuild while the service runs.
import { beforeAll, describe, expect, it } from 'vitest'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { search } from '../../shared/search/contract.ts'
import type { PostingList } from '../../shared/search/posting-list.ts'
import { itemOfList, keyOfList, PostingListItem } from '../../shared/search/posting-list-item.ts'
import { HEAVIEST } from '../../shared/search/weights.ts'
import { docKey, unindexedKey } from '../../shared/table/design.ts'
import { loadSite } from '../bench/load.ts'
import { openSite, type Site } from '../bench/site.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'
import { tableEditor, UNUSED_ID } from './drift.ts'
import { operatorOn } from './operator-world.ts'

type Problem = { subject: string }

/** Enough posts for the postings of common words to be stored in blocks. */
const MANY = 155

const site = openSite({ count: MANY, seed: 1 })
const manyAlike: Site = {
  ...site,
  post(id) {
    const generated = site.post(id)
    const title = `Common ${id % 2 === 0 ? 'even' : 'odd'} w${id}`
    const texts = { title, short_description: '', body: `<p>text ${id}</p>` }
    const state = { content_type: 'post', is_published: true, posted_at: 1_600_000_000 + id } as const
    return { ...generated, input: { ...generated.input, ...texts, ...state } }
  },
}

const world = useWorld({ isNew: true })
let operator: ReturnType<typeof operatorOn>
let ids: number[]
beforeAll(async () => {
  operator = operatorOn(world)
  await loadSite(world.table, manyAlike)
  ids = Array.from({ length: MANY }, (_, n) => n + 1)
})

function indexed() {
  return until('the index', () => world.isIdle())
}

async function find(q: string) {
  const { data } = await world.call(search.search, { query: { q, per_page: 50 } })
  return { total: data.total, ids: data.posts.map(({ id }) => id) }
}

function findAll() {
  return Promise.all(['common', 'co', 'even', 'w12 common', 'text', 'unused'].map(find))
}

async function term(name: string): Promise<PostingList> {
  const found = await world.table.find(keyOfList(name), PostingListItem)
  if (!found) throw new Error(`There is no term ${name}.`)
  return found
}

async function editTerm(name: string, change: (term: PostingList) => PostingList) {
  return world.table.write({ Put: { Item: itemOfList(change(await term(name))) } })
}

describe('doctor', () => {
  it('repairs the search index, after which searches have the same hits as before', async () => {
    const { remove, put } = tableEditor(world)
    const before = await findAll()
    const [first = 0, second = 0] = ids
    await remove(docKey(first))
    await put({ ...unindexedKey(second), revision: 1 })
    await remove(keyOfList('even'))
    await editTerm('text', large => {
      if (!('blocks' in large)) throw new Error('A common word must be in blocks.')
      return { ...large, blocks: large.blocks.map((block, n) => ({ ...block, posts: block.posts + n })) }
    })
    const posting = { weight: HEAVIEST, posted_at: 1, id: UNUSED_ID, is_page: false }
    await put(itemOfList({ term: 'unused', stamp: 'planted', postings: [posting] }))

    const { problems, wrong, repaired } = await operator.json(['doctor', '--repair'])
    expect(problems.map(({ subject }: Problem) => subject).sort()).toEqual(
      [
        `post ${first}`,
        `post ${second}`,
        'search term even',
        'search term unused',
        'search term text',
      ].sort(),
    )
    expect(repaired).toBe(wrong)
    expect(await operator.json(['doctor'])).toMatchObject({ wrong: 0 })
    expect(await findAll()).toEqual(before)
  })
})

describe('a word of many posts', () => {
  it('has the same hits in GET /search and GET /posts', async () => {
    const { data, pagination } = await world.call(posts.listPosts, { query: { q: 'common', per_page: 50 } })
    const found = await find('common')
    expect([data.map(({ id }) => id), pagination.total]).toEqual([found.ids, found.total])
  })
})

describe('reindex', () => {
  it('keeps the hits of searches, and prints the number of posts', async () => {
    const before = await findAll()
    const { code, out } = await operator.run(['reindex'])
    expect(out).toMatch(new RegExp(`^Indexed ${MANY} posts and pages: \\d+ terms, \\d+ postings\\.\\n$`))
    expect(code).toBe(0)
    expect(await findAll()).toEqual(before)
    expect(await operator.json(['doctor'])).toMatchObject({ wrong: 0 })
  })

  it('indexes posts that change while it runs', async () => {
    const changed = ids.slice(0, 8)
    const act = async (id: number) => {
      await world.call(adminPosts.changePost, {
        token: world.admin,
        params: { id },
        body: { title: 'Rewritten' },
      })
      if (id % 2 === 0) await world.call(adminPosts.deletePost, { token: world.admin, params: { id } })
    }
    await Promise.all([operator.json(['reindex']), ...changed.map(act)])
    await indexed()
    const left = changed.filter(id => id % 2 !== 0)
    expect((await find('rewritten')).ids.sort()).toEqual(left.sort())
    expect((await find('common')).total).toBe(MANY - changed.length)
    expect(await operator.json(['doctor'])).toMatchObject({ wrong: 0 })
  })

  it('fails while another one is running', async () => {
    const outcomes = await Promise.all([operator.run(['reindex']), operator.run(['reindex'])])
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1])
    expect(outcomes.map(({ err }) => err).join('')).toContain('Another reindex is running')
  })
})
