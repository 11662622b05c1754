// Reads the budgets of test/bench/budgets.json and compares measured costs with them.
import { readFileSync } from 'node:fs'
import * as z from 'zod/mini'
import type { Cost } from './count.ts'

const Budget = z.object({ roundTrips: z.int(), readUnits: z.number(), writeUnits: z.number() })

const file = new URL('./budgets.json', import.meta.url)
/** By request: sequential round trips, units read and units written. */
export const budgets = z.record(z.string(), Budget).parse(JSON.parse(readFileSync(file, 'utf8')))

/** The end of the names of costs on a site with many categories and scheduled posts. */
export const OF_LARGE_SITE = ', with 500 categories and 300 scheduled posts'

export function isOfLargeSite(name: string): boolean {
  return name.endsWith(OF_LARGE_SITE)
}

/** A line for each cost that is above its budget or has none. */
export function exceeded(costs: Map<string, Cost>): string[] {
  return [...costs].flatMap(([name, cost]) => {
    const budget = budgets[name]
    if (!budget) return [`${name} has no budget`]
    return (['roundTrips', 'readUnits', 'writeUnits'] as const)
      .filter(what => cost[what] > budget[what])
      .map(what => `${name}: ${what} ${cost[what]}, at most ${budget[what]}`)
  })
}
