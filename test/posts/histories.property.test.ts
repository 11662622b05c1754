// Random histories of posts and categories against plain arrays: every page, total, count and event equal.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countedCategories } from '../../shared/categories/counted.ts'
import { EventMessage } from '../../shared/events/message.ts'
import { listLeftRows } from '../../shared/events/outbox.ts'
import { parseTime } from '../../shared/http/time.ts'
import { adminList, categoryList, PAGES, POSTS } from '../../shared/posts/places.ts'
import { listWaiting } from '../../shared/posts/scheduled.ts'
import { listForAdmin, listPublic } from '../../shared/posts/store.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import type { List } from '../../shared/table/counted-list.ts'
import { startTable } from '../world/table.ts'
import { act, type Step, step } from './history.ts'
import { Model } from './model.ts'

/** So small that a few dozen posts split and merge ranges and middles all the time. */
const SMALL = { range: 3, node: 3 }
const TIME_MS = 12_000
const LOOK_EVERY = 5
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

const history = fc.record({
  steps: fc.array(step, { minLength: 20, maxLength: 70 }),
  perPage: fc.integer({ min: 1, max: 12 }),
})

describe('posts and categories', () => {
  it('are always the plain arrays that went through the same history', async () => {
    console.info(`seed ${seed} (run again with SEED=${seed})`)
    let steps = 0
    const property = fc.asyncProperty(history, async history => {
      steps += await live(history.steps, history.perPage)
    })
    await fc.assert(property, { seed, interruptAfterTimeLimit: TIME_MS, numRuns: 1_000, endOnFailure: true })
    console.info(`${steps} steps`)
    expect(steps).toBeGreaterThan(0)
  }, 60_000)
})

const live = async (steps: Step[], perPage: number): Promise<number> => {
  const { client, tableName, stop } = await startTable()
  try {
    const table = openTable(client, tableName, SMALL)
    const model = new Model()
    for (const [n, step] of steps.entries()) {
      await act(table, model, step)
      if (n % LOOK_EVERY === 0 || n === steps.length - 1) await look(table, model, perPage)
    }
    expect((await toldEvents(table)).sort()).toEqual(model.events.sort())
    return steps.length
  } finally {
    await stop()
  }
}

const look = async (table: Table, model: Model, perPage: number): Promise<void> => {
  const publicPages = (list: List) => (page: number) =>
    listPublic(table, list, { page, per_page: perPage }, listWaiting(table, model.now), model.now)
  await same(publicPages(POSTS), model.livePosts(), perPage)
  await same(publicPages(PAGES), model.livePages(), perPage)
  for (const drafts of [false, true])
    for (const type of [undefined, 'post', 'page'] as const)
      await same(
        page => listForAdmin(table, adminList(drafts, type), { page, per_page: perPage }),
        model.forAdmin(drafts, type),
        perPage,
      )
  for (const id of model.categories) await same(publicPages(categoryList(id)), model.livePosts(id), perPage)
  const counted = await countedCategories(table, model.now * 1000)
  expect(new Map(counted.map(({ id, posts_count }) => [id, posts_count]))).toEqual(
    new Map([...model.categories].map(id => [id, model.livePosts(id).length])),
  )
}

type Page = { items: { id: number }[]; total: number }

/** Every page, and the empty one behind the last. */
const same = async (
  read: (page: number) => Promise<Page>,
  expected: number[],
  perPage: number,
): Promise<void> => {
  for (let page = 1; page <= Math.ceil(expected.length / perPage) + 1; page++) {
    const { items, total } = await read(page)
    expect(total).toBe(expected.length)
    expect(items.map(({ id }) => id)).toEqual(expected.slice((page - 1) * perPage, page * perPage))
  }
}

/** No queue took them, so every event that was ever told is still in the outbox. */
const toldEvents = async (table: Table): Promise<string[]> => {
  const rows = await listLeftRows(table, Number.MAX_SAFE_INTEGER / 2, 0)
  return rows.flatMap(({ body }) => {
    const message = EventMessage.safeParse(body).data
    if (!message) return []
    return [`${message.event} ${message.data.id} v${message.data.version} ${parseTime(message.occurred_at)}`]
  })
}
