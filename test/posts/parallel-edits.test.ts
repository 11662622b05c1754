// Concurrent edits that change the same lists, which they split and merge, on a table that locks each item
// while a transaction writes it.
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { adminCategories } from '../../shared/categories/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { entriesBelow } from '../../shared/lists/children.ts'
import { type List, rootSchema } from '../../shared/lists/list.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminList, categoryList, POSTS } from '../../shared/posts/lists.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { expectExact } from '../lists/list-world.ts'
import { callOf, openChain, type Result } from '../support/chain.ts'
import { type Call, failure, type Interceptor } from '../support/faults/call-proxy.ts'
import { use } from '../support/use.ts'

const call = callOf((await import('../../functions/admin.ts')).handler)

/** No edit gives up sooner: after 8 s of conflicts, or after three attempts of 1 s if the table hangs. */
const GIVES_UP_AFTER_MS = 3_000
const EDITS = process.env.SOAK === undefined ? 16 : 64
const LOCKED_MS = 20

type State = 'live' | 'draft' | 'gone'
const KINDS: { endpoint: Endpoint; body?: object; before: State; after: State }[] = [
  { endpoint: adminPosts.publishPost, before: 'draft', after: 'live' },
  { endpoint: adminPosts.unpublishPost, before: 'live', after: 'draft' },
  { endpoint: adminPosts.deletePost, before: 'live', after: 'gone' },
  { endpoint: adminPosts.changePost, body: { posted_at: '2020-01-01' }, before: 'live', after: 'live' },
]

const Attributes = z.record(z.string(), z.unknown())
const Write = z.object({ TableName: z.string(), Key: z.optional(Attributes), Item: z.optional(Attributes) })
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), Write)) })

/** The names of the items that a write changes, in the order of its actions; none for a read. */
function itemsOf({ operation, body }: Call): string[] {
  const content: unknown = JSON.parse(body.toString())
  if (['PutItem', 'UpdateItem', 'DeleteItem'].includes(operation)) return [itemName(Write.parse(content))]
  if (operation !== 'TransactWriteItems') return []
  return Transaction.parse(content).TransactItems.flatMap(action => Object.values(action).map(itemName))
}

function itemName({ TableName, Key, Item }: z.infer<typeof Write>): string {
  const { pk, sk } = Key ?? Item ?? {}
  return JSON.stringify([TableName, pk, sk])
}

const locked = new Set<string>()
let conflicts = 0

/** Writes conflict with a transaction that is still running, as in DynamoDB. */
const lockItems: Interceptor = async (call, next) => {
  const items = itemsOf(call)
  const isTransaction = call.operation === 'TransactWriteItems'
  if (items.some(item => locked.has(item))) {
    conflicts++
    if (!isTransaction) return failure(400, 'TransactionConflictException')
    const CancellationReasons = items.map(item => ({
      Code: locked.has(item) ? 'TransactionConflict' : 'None',
    }))
    return failure(400, 'TransactionCanceledException', { CancellationReasons })
  }
  if (!isTransaction) return await next(call)
  for (const item of items) locked.add(item)
  try {
    const [answer] = await Promise.all([next(call), pause(LOCKED_MS * (1 + Math.random()))])
    return answer
  } finally {
    for (const item of items) locked.delete(item)
  }
}

const SIZES = { range: 4, node: 4 }
const chain = use(() => openChain({ LIMIT_SCALE: '1000000' }, lockItems, SIZES))

function idOf({ text }: Result): number {
  return JSON.parse(text).data.id
}

async function totalOf(list: List) {
  return entriesBelow((await chain.plain.find(list.root, rootSchema))?.children ?? [])
}

describe(`${EDITS} concurrent edits that change the same lists`, () => {
  it('return 200, or 503 when they run out of time, and leave every list correct', async () => {
    setRuntime(chain.runtime)
    const { token } = await chain.user(['admin'])
    const category = idOf(await call(adminCategories.createCategory, { token, body: { name: 'News' } }))
    const posts: ((typeof KINDS)[number] & { id: number })[] = []
    for (let n = 0; n < EDITS / KINDS.length; n++) {
      for (const kind of KINDS) {
        const body = { title: 'An edit', category_ids: [category], is_published: kind.before === 'live' }
        posts.push({ ...kind, id: idOf(await call(adminPosts.createPost, { token, body })) })
      }
    }
    conflicts = 0
    const answers = await Promise.all(
      posts.map(async ({ endpoint, body, id, before, after }) => {
        const started = performance.now()
        const { status } = await call(endpoint, { token, params: { id }, body })
        return { status, ms: performance.now() - started, state: status === 200 ? after : before }
      }),
    )
    expect(conflicts).toBeGreaterThan(EDITS)
    // On a busy machine an edit may need more than its 8 s, and then has to return 503.
    const isLate = ({ status, ms }: (typeof answers)[number]) => status === 503 && ms >= GIVES_UP_AFTER_MS
    expect(answers.filter(answer => answer.status !== 200 && !isLate(answer))).toEqual([])
    expect(answers.filter(({ status }) => status === 200)).not.toEqual([])
    const inState = (...states: State[]) => answers.filter(({ state }) => states.includes(state)).length
    const lists = [
      { list: POSTS, count: inState('live') },
      { list: categoryList(category), count: inState('live') },
      { list: adminList(false, 'post'), count: inState('live', 'draft') },
      { list: adminList(true, 'post'), count: inState('draft') },
    ]
    for (const { list, count } of lists) {
      await expectExact(chain.plain, list)
      expect(await totalOf(list)).toBe(count)
    }
  })
})
