// Counts the cost of a request: sequential round trips, units and bytes, the worst of several samples.
import * as z from 'zod/mini'
import type { CallOptions } from '../support/call.ts'
import type { Result } from '../support/chain.ts'
import { contentIsRemembered, contentRaised, namesAreRemembered } from '../support/remembered.ts'
import type { Usage } from '../support/usage.ts'
import type { CountedService } from './counted-service.ts'
import type { Row } from './rows.ts'

export type Cost = Usage & { bytes: number }

const PagedAnswer = z.object({ pagination: z.object({ last_page: z.int() }) })
const WalkedAnswer = z.object({ cursor: z.object({ next: z.string() }) })
/** The deep pages to measure, as shares of the last page number, besides the second and the last page. */
const LAST_DEPTH = 0.98
const DEPTHS = [0.15, 0.3, 0.5, 0.65, 0.8, LAST_DEPTH]
/** Parallel calls may look sequential by chance, never the reverse: the fewest round trips are right. */
const SAMPLES = 2

export async function countRow(service: CountedService, row: Row): Promise<Cost> {
  const { isDeep, isWalked, isConditional, ask } = row
  const warm = await successOf(row, ask)
  if (isConditional) {
    return await costOf(service, row, { ...ask, headers: { 'If-None-Match': warm.headers.ETag ?? '' } })
  }
  const costs: Cost[] = []
  if (isWalked) {
    for (const page of [1, deepestFollowed(warm.text)]) {
      const { text } = await successOf(row, onPage(ask, page))
      costs.push(await costOf(service, row, afterThis(ask, text)))
    }
    return worst(costs)
  }
  if (!isDeep) return await costOf(service, row, ask)
  for (const page of deepPages(warm.text)) costs.push(await costOf(service, row, onPage(ask, page)))
  return worst(costs)
}

function lastPageOf(text: string): number {
  return PagedAnswer.parse(JSON.parse(text)).pagination.last_page
}

function pageAt(share: number, last: number): number {
  return Math.max(2, Math.floor(last * share))
}

/** The numbers of the deep pages, from the response of the first page. */
function deepPages(text: string): number[] {
  const last = lastPageOf(text)
  return [...new Set([2, ...DEPTHS.map(share => pageAt(share, last)), last])]
}

/** The page that is timed: page 8,000 with twelve items a page, at 100,000 posts. */
function deepest(text: string): number {
  return pageAt(LAST_DEPTH, lastPageOf(text))
}

function onPage(ask: CallOptions, page: number): CallOptions {
  return { ...ask, query: { ...ask.query, page } }
}

/** The same, but on a small site the page before the last: nothing follows the last one. */
function deepestFollowed(text: string): number {
  return Math.max(1, Math.min(deepest(text), lastPageOf(text) - 1))
}

/** What follows an answer, read from its cursor on. */
function afterThis(ask: CallOptions, text: string): CallOptions {
  return { ...ask, query: { ...ask.query, after: WalkedAnswer.parse(JSON.parse(text)).cursor.next } }
}

async function successOf({ name, call, endpoint }: Row, ask: CallOptions): Promise<Result> {
  const result = await call(endpoint, ask)
  if (result.status >= 400) throw new Error(`${name} answered ${result.status} ${result.text}`)
  return result
}

async function costOf(service: CountedService, row: Row, ask: CallOptions): Promise<Cost> {
  // Loads names into memory, as in a busy service.
  await namesAreRemembered(service.table, service.nowSeconds * 1000)
  await successOf(row, ask)
  const samples: Cost[] = []
  for (let n = 0; n < SAMPLES; n++) {
    // What is remembered of public content is counted apart, below.
    await service.table.transact(contentRaised())
    const { result, used } = await service.measure(() => successOf(row, ask))
    samples.push({ ...used, bytes: Buffer.byteLength(result.text) })
  }
  return eachOf(samples, Math.min)
}

/** The cost of a read whose answer a busy service remembers. */
export async function countRepeated(service: CountedService, row: Row): Promise<Cost> {
  const { text, headers } = await successOf(row, row.ask)
  const ask = row.isDeep ? onPage(row.ask, deepest(text)) : row.ask
  const sent = { ...ask, ...(row.isConditional && { headers: { 'If-None-Match': headers.ETag ?? '' } }) }
  await contentIsRemembered(service.table, service.nowSeconds * 1000)
  await successOf(row, sent)
  const samples: Cost[] = []
  for (let n = 0; n < SAMPLES; n++) {
    const { result, used } = await service.measure(() => successOf(row, sent))
    samples.push({ ...used, bytes: Buffer.byteLength(result.text) })
  }
  return eachOf(samples, Math.min)
}

function eachOf(costs: Cost[], choose: (...numbers: number[]) => number): Cost {
  return {
    calls: choose(...costs.map(cost => cost.calls)),
    roundTrips: choose(...costs.map(cost => cost.roundTrips)),
    readUnits: choose(...costs.map(cost => cost.readUnits)),
    writeUnits: choose(...costs.map(cost => cost.writeUnits)),
    bytes: choose(...costs.map(cost => cost.bytes)),
  }
}

export function worst(costs: Cost[]): Cost {
  return eachOf(costs, Math.max)
}

/** Rounded, since a fraction of a unit says nothing. */
export function mean(costs: Cost[]): Cost {
  return eachOf(costs, (...numbers) => Math.round(numbers.reduce((a, b) => a + b, 0) / numbers.length))
}

export function least(costs: Cost[]): Cost {
  return eachOf(costs, Math.min)
}
