// Counts the cost of a request: sequential round trips and units, the worst of several pages.
import * as z from 'zod/mini'
import { listCachedCategories } from '../../shared/categories/store.ts'
import type { CallOptions } from '../support/call.ts'
import { contentIsRemembered, contentRaised, namesAreRemembered } from '../support/remembered.ts'
import { until } from '../support/until.ts'
import type { Usage } from '../support/usage.ts'
import type { CountedService } from './counted-service.ts'
import type { Row } from './rows.ts'

const PagedAnswer = z.object({ pagination: z.object({ last_page: z.int() }) })
const WalkedAnswer = z.object({ cursor: z.object({ next: z.string() }) })
/** The deep pages to measure, as shares of the last page number, besides the second and the last page. */
const DEPTHS = [0.15, 0.3, 0.5, 0.65, 0.8, 0.98]

export async function countRow(service: CountedService, row: Row): Promise<Usage> {
  const costs: Usage[] = []
  for (const ask of await asksOf(service, row)) {
    // Loads names into memory, as in a busy service.
    await namesAreRemembered(service.table, service.nowSeconds * 1000)
    await categoriesAreRemembered(service)
    await answerTo(service, row, ask)
    // What is remembered of public content is counted apart, below.
    await service.table.transact(contentRaised())
    costs.push((await service.measure(() => answerTo(service, row, ask))).used)
  }
  return worst(costs)
}

async function categoriesAreRemembered({ table, measure }: CountedService): Promise<void> {
  await until('the categories to be remembered', async () => {
    const { used } = await measure(() => listCachedCategories(table))
    return used.calls === 1
  })
}

/** The cost of a read whose answer a busy service remembers. */
export async function countRepeated(service: CountedService, row: Row): Promise<Usage> {
  await contentIsRemembered(service.table, service.nowSeconds * 1000)
  await answerTo(service, row, row.ask)
  return (await service.measure(() => answerTo(service, row, row.ask))).used
}

async function asksOf(service: CountedService, row: Row): Promise<CallOptions[]> {
  const { part, ask } = row
  if (part === undefined) return [ask]
  const { last_page } = PagedAnswer.parse(await answerTo(service, row, ask)).pagination
  const onPage = (page: number) => ({ ...ask, query: { ...ask.query, page } })
  if (part === 'pages') {
    const deep = DEPTHS.map(share => Math.max(2, Math.floor(last_page * share)))
    return [...new Set([2, ...deep, last_page])].map(onPage)
  }
  // Nothing follows the last page.
  const before = [1, Math.max(1, last_page - 1)].map(async page => {
    const { cursor } = WalkedAnswer.parse(await answerTo(service, row, onPage(page)))
    return { ...ask, query: { ...ask.query, after: cursor.next } }
  })
  return await Promise.all(before)
}

/** Throws if the answer is not a success. */
async function answerTo(
  { call }: CountedService,
  { name, endpoint }: Row,
  ask: CallOptions,
): Promise<unknown> {
  const { status, text } = await call(endpoint, ask)
  if (status < 400) return JSON.parse(text)
  throw new Error(`${name} answered ${status} ${text}`)
}

function eachOf(costs: Usage[], choose: (...numbers: number[]) => number): Usage {
  const of = (what: keyof Usage) => choose(...costs.map(cost => cost[what]))
  return {
    calls: of('calls'),
    roundTrips: of('roundTrips'),
    readUnits: of('readUnits'),
    writeUnits: of('writeUnits'),
  }
}

export function worst(costs: Usage[]): Usage {
  return eachOf(costs, Math.max)
}

export function least(costs: Usage[]): Usage {
  return eachOf(costs, Math.min)
}
