// What every read and write costs: sequential round trips, units and bytes, the worst of several looks.
import * as z from 'zod/mini'
import type { CallOptions } from '../world/call.ts'
import type { Result } from '../world/chain.ts'
import type { Usage } from '../world/usage.ts'
import type { CountedService } from './counted-service.ts'
import type { Row } from './rows.ts'

export type Cost = Pick<Usage, 'roundTrips' | 'readUnits' | 'writeUnits'> & { bytes: number }

const Paged = z.object({ pagination: z.object({ last_page: z.int() }) })
/** Pages behind the first, by their share of all; the second and the last beside them. */
const DEEPEST = 0.98
const DEPTHS = [0.15, 0.3, 0.5, 0.65, 0.8, DEEPEST]
/** What runs side by side may by chance look like one after the other, never the other way round. */
const LOOKS = 2

export async function countRow(service: CountedService, row: Row): Promise<Cost> {
  const { deep, again, ask } = row
  const warm = await answered(row, ask)
  if (again) {
    return await costOf(service, row, { ...ask, headers: { 'If-None-Match': warm.headers.ETag ?? '' } })
  }
  if (!deep) return await costOf(service, row, ask)
  const costs = []
  for (const page of deepPages(warm.text)) costs.push(await costOf(service, row, onPage(ask, page)))
  return worst(costs)
}

function lastPageOf(text: string): number {
  return Paged.parse(JSON.parse(text)).pagination.last_page
}

function pageAt(share: number, last: number): number {
  return Math.max(2, Math.floor(last * share))
}

/** Page numbers behind the first, by the answer to the first page. */
function deepPages(text: string): number[] {
  const last = lastPageOf(text)
  return [...new Set([2, ...DEPTHS.map(share => pageAt(share, last)), last])]
}

/** One of them: page 8,000 of twelve, at 100,000 posts. */
export function deepest(text: string): number {
  return pageAt(DEEPEST, lastPageOf(text))
}

export function onPage(ask: CallOptions, page: number): CallOptions {
  return { ...ask, query: { ...ask.query, page } }
}

async function answered({ name, call, endpoint }: Row, ask: CallOptions): Promise<Result> {
  const result = await call(endpoint, ask)
  if (result.status >= 400) throw new Error(`${name} answered ${result.status} ${result.text}`)
  return result
}

async function costOf(service: CountedService, row: Row, ask: CallOptions): Promise<Cost> {
  // Profiles of authors are in memory from now on, as in a busy service.
  await answered(row, ask)
  const looks: Cost[] = []
  for (let n = 0; n < LOOKS; n++) {
    const { result, used } = await service.measure(() => answered(row, ask))
    const { roundTrips, readUnits, writeUnits } = used
    looks.push({ roundTrips, readUnits, writeUnits, bytes: Buffer.byteLength(result.text) })
  }
  return { ...worst(looks), roundTrips: Math.min(...looks.map(look => look.roundTrips)) }
}

function eachOf(costs: Cost[], choose: (...numbers: number[]) => number): Cost {
  return {
    roundTrips: choose(...costs.map(cost => cost.roundTrips)),
    readUnits: choose(...costs.map(cost => cost.readUnits)),
    writeUnits: choose(...costs.map(cost => cost.writeUnits)),
    bytes: choose(...costs.map(cost => cost.bytes)),
  }
}

export function worst(costs: Cost[]): Cost {
  return eachOf(costs, Math.max)
}

export function least(costs: Cost[]): Cost {
  return eachOf(costs, Math.min)
}
