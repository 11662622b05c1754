// Many edits at once that touch the same lists, on a table whose items are locked while a transaction writes them.
import { describe, expect, it } from 'vitest'
import { adminCategories } from '../../shared/categories/contract.ts'
import { entriesBelow } from '../../shared/lists/directory.ts'
import { type List, rootSchema } from '../../shared/lists/list.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminList, categoryList, POSTS } from '../../shared/posts/lists.ts'
import { expectExact } from '../lists/list-world.ts'
import { use } from '../world/use.ts'
import { startEditors } from './editors.ts'
import type { Answer } from './editors-thread.ts'

/** Of the 99th of a hundred, on a machine that does nothing else. */
const MOST_MS = 3_000
/** No edit does so sooner: for want of its turn after 8 s, and where the table hangs, after three times 1 s. */
const GIVES_UP_AFTER_MS = 3_000
const IS_SOAK = process.env.SOAK !== undefined
const EDITS = IS_SOAK ? 64 : 16
/** Posts that are published before. */
const IN_USE = IS_SOAK ? 16 : 2

const editors = use(startEditors)

function idOf({ body }: Answer): number {
  return JSON.parse(body).data.id
}

/** All at once; how each ended and how long it took, the longest last. */
async function timed(edits: (() => Promise<Answer>)[]): Promise<{ status: number; ms: number }[]> {
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

describe(`${EDITS} edits at once that touch the same lists`, () => {
  it('all succeed or say that they did not, and no list drifts', async () => {
    const { ask, token } = editors
    const category = idOf(
      await ask('categories', adminCategories.createCategory, { token, body: { name: 'News' } }),
    )
    const body = { title: 'An edit', category_ids: [category] }
    const create = async () => idOf(await ask('posts', adminPosts.createPost, { token, body }))
    const publish = (id: number) => ask('posts', adminPosts.publishPost, { token, params: { id } })
    // The service is in use: a list that is begun by many at once is begun once in its life.
    for (let n = 0; n < IN_USE; n++) await publish(await create())
    const drafts: number[] = []
    while (drafts.length < EDITS) drafts.push(await create())
    const answers = await timed(drafts.map(id => () => publish(id)))
    const [p50 = 0, p99 = 0] = [0.5, 0.99].map(share => answers[Math.ceil(share * EDITS) - 1]?.ms)
    console.info(`p50 ${p50} ms, p99 ${p99} ms, ${editors.conflicts()} conflicts`)
    const published = answers.filter(({ status }) => status === 200).length
    expect(published).toBeGreaterThan(0)
    // A machine that is busy with other things may be too slow for its 8 s: then that is what the answer says.
    const isLate = ({ status, ms }: (typeof answers)[number]) => status === 503 && ms >= GIVES_UP_AFTER_MS
    expect(answers.filter(answer => answer.status !== 200 && !isLate(answer))).toEqual([])
    const lists = [
      { list: POSTS, count: IN_USE + published },
      { list: categoryList(category), count: IN_USE + published },
      { list: adminList(false, undefined), count: IN_USE + EDITS },
      { list: adminList(false, 'post'), count: IN_USE + EDITS },
      { list: adminList(true, undefined), count: EDITS - published },
    ]
    for (const { list, count } of lists) {
      await expectExact(editors.table, list)
      expect(await totalOf(list)).toBe(count)
    }
    if (IS_SOAK) expect([published, p99 < MOST_MS]).toEqual([EDITS, true])
  })
})
