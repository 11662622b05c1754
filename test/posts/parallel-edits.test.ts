// Concurrent edits that change the same lists, on a table that locks each item while a transaction writes it.
import { describe, expect, it } from 'vitest'
import { adminCategories } from '../../shared/categories/contract.ts'
import { entriesBelow } from '../../shared/lists/children.ts'
import { type List, rootSchema } from '../../shared/lists/list.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminList, categoryList, POSTS } from '../../shared/posts/lists.ts'
import { expectExact } from '../lists/list-world.ts'
import { use } from '../support/use.ts'
import { startEditors } from './editors.ts'
import type { Answer } from './editors-thread.ts'

/** No edit gives up sooner: after 8 s of conflicts, or after three attempts of 1 s if the table hangs. */
const GIVES_UP_AFTER_MS = 3_000
const IS_SOAK = process.env.SOAK !== undefined
const EDITS = IS_SOAK ? 64 : 16
/** Posts that are published before the concurrent edits. */
const PUBLISHED_BEFORE = IS_SOAK ? 16 : 2

const editors = use(startEditors)

function idOf({ body }: Answer): number {
  return JSON.parse(body).data.id
}

/** Runs all edits concurrently. Returns the status and duration of each, the slowest last. */
async function runConcurrently(edits: (() => Promise<Answer>)[]): Promise<{ status: number; ms: number }[]> {
  const answers = await Promise.all(
    edits.map(async edit => {
      const started = performance.now()
      const { statusCode: status } = await edit()
      return { status, ms: Math.round(performance.now() - started) }
    }),
  )
  return answers.sort((a, b) => a.ms - b.ms)
}

async function totalOf(list: List) {
  return entriesBelow((await editors.table.find(list.root, rootSchema))?.children ?? [])
}

describe(`${EDITS} concurrent edits that change the same lists`, () => {
  it('return 200, or 503 when they run out of time, and leave every list correct', async () => {
    const { call, token } = editors
    const category = idOf(await call(adminCategories.createCategory, { token, body: { name: 'News' } }))
    const body = { title: 'An edit', category_ids: [category] }
    const create = async () => idOf(await call(adminPosts.createPost, { token, body }))
    const publish = (id: number) => call(adminPosts.publishPost, { token, params: { id } })
    // Lists are created only once, so the edits find lists that exist.
    for (let n = 0; n < PUBLISHED_BEFORE; n++) await publish(await create())
    const drafts: number[] = []
    while (drafts.length < EDITS) drafts.push(await create())
    const answers = await runConcurrently(drafts.map(id => () => publish(id)))
    const [p50 = 0, p99 = 0] = [0.5, 0.99].map(share => answers[Math.ceil(share * EDITS) - 1]?.ms)
    console.info(`p50 ${p50} ms, p99 ${p99} ms, ${editors.conflicts()} conflicts`)
    const published = answers.filter(({ status }) => status === 200).length
    expect(published).toBeGreaterThan(0)
    // On a busy machine an edit may need more than its 8 s, and then has to return 503.
    const isLate = ({ status, ms }: (typeof answers)[number]) => status === 503 && ms >= GIVES_UP_AFTER_MS
    expect(answers.filter(answer => answer.status !== 200 && !isLate(answer))).toEqual([])
    const lists = [
      { list: POSTS, count: PUBLISHED_BEFORE + published },
      { list: categoryList(category), count: PUBLISHED_BEFORE + published },
      { list: adminList(false, 'post'), count: PUBLISHED_BEFORE + EDITS },
      { list: adminList(true, 'post'), count: EDITS - published },
    ]
    for (const { list, count } of lists) {
      await expectExact(editors.table, list)
      expect(await totalOf(list)).toBe(count)
    }
  })
})
