// Many edits at once that touch the same lists, on a table whose items are locked while a transaction writes them.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { adminCategories } from '../../shared/categories/contract.ts'
import type { Runtime } from '../../shared/lambda/runtime.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminList, categoryList, POSTS } from '../../shared/posts/places.ts'
import { entriesBelow } from '../../shared/table/directory.ts'
import { type List, rootSchema } from '../../shared/table/list.ts'
import { expectExact } from '../table/list-world.ts'
import { type Chain, callOf, openChain, type Result } from '../world/chain.ts'
import { itemLocked } from '../world/item-locked.ts'

/** The real functions, on the chain's table. */
const place = vi.hoisted((): { runtime?: Runtime } => ({}))
vi.mock('../../shared/lambda/runtime.ts', async original => ({
  ...(await original<Record<string, unknown>>()),
  runtime: () => place.runtime,
}))
const posts = callOf((await import('../../functions/admin-posts.ts')).handler)
const categories = callOf((await import('../../functions/admin-categories.ts')).handler)

/** Of the 99th of a hundred, on a machine that does nothing else. */
const MOST_MS = 3_000
const IS_SOAK = process.env.SOAK !== undefined
const EDITS = IS_SOAK ? 64 : 16

let chain: Chain
let token: string
let conflicts = 0
beforeAll(async () => {
  chain = await openChain(
    { LIMIT_SCALE: '1000000' },
    itemLocked(() => conflicts++),
  )
  place.runtime = chain.runtime
  token = (await chain.user(['admin'])).token
})
afterAll(() => chain.stop())

const idOf = ({ text }: Result): number => JSON.parse(text).data.id
const ids = async (count: number, make: () => Promise<Result>) => {
  const made: number[] = []
  while (made.length < count) made.push(idOf(await make()))
  return made
}

/** All at once; how long each took, the longest last. */
const timed = async (edits: (() => Promise<Result>)[]): Promise<{ statuses: number[]; tookMs: number[] }> => {
  const answers = await Promise.all(
    edits.map(async edit => {
      const started = performance.now()
      const { status } = await edit()
      return { status, ms: performance.now() - started }
    }),
  )
  const tookMs = answers.map(({ ms }) => Math.round(ms)).sort((a, b) => a - b)
  return { statuses: answers.map(({ status }) => status), tookMs }
}

const totalOf = async (list: List) =>
  entriesBelow((await chain.plain.find(list.root, rootSchema))?.children ?? [])

describe(`${EDITS} edits at once that touch the same lists`, () => {
  it('all succeed or say that they did not, and no list drifts', async () => {
    const category = idOf(await categories(adminCategories.createCategory, { token, body: { name: 'News' } }))
    const body = { title: 'An edit', category_ids: [category] }
    // The lists are in use: one that is begun by many at once is begun once in the life of a service.
    await posts(adminPosts.createPost, { token, body: { ...body, is_published: true } })
    const drafts = await ids(EDITS, () => posts(adminPosts.createPost, { token, body }))
    const { statuses, tookMs } = await timed(
      drafts.map(id => () => posts(adminPosts.publishPost, { token, params: { id } })),
    )
    const [p50 = 0, p99 = 0] = [0.5, 0.99].map(share => tookMs[Math.ceil(share * EDITS) - 1])
    console.info(`p50 ${p50} ms, p99 ${p99} ms, ${conflicts} conflicts`)
    const published = statuses.filter(status => status === 200).length
    // A machine that is busy with other things may be too slow for its 8 s: then that is what the answer says.
    expect(statuses.filter(status => status !== 200 && status !== 503)).toEqual([])
    const lists = [
      { list: POSTS, count: 1 + published },
      { list: categoryList(category), count: 1 + published },
      { list: adminList(false, undefined), count: 1 + EDITS },
      { list: adminList(false, 'post'), count: 1 + EDITS },
      { list: adminList(true, undefined), count: EDITS - published },
    ]
    for (const { list, count } of lists) {
      await expectExact(chain.plain, list)
      expect(await totalOf(list)).toBe(count)
    }
    if (IS_SOAK) expect([published, p99 < MOST_MS]).toEqual([EDITS, true])
  })
})
