// Counts the dearest request that an anonymous client or a fresh user can send to each endpoint.
import * as z from 'zod/mini'
import { saveSettings } from '../../shared/site/commands/settings.ts'
import type { CallOptions } from '../world/call.ts'
import { ALL_ENABLED, ENDPOINTS, endpointOf } from '../world/endpoints.ts'
import { openFunctions } from '../world/full-chain.ts'
import { contentRaised, namesAreRemembered } from '../world/remembered.ts'
import type { Usage } from '../world/usage.ts'
import type { CountedService } from './counted-service.ts'
import { type Reach, requestsOf } from './dearest-requests.ts'
import { openFreshUser } from './fresh-user.ts'
import { medianOf } from './median.ts'
import type { Targets } from './rows.ts'
import type { Site } from './site.ts'

/** `price`: of all units, in units read. `kB`: how much is sent and received. */
export type Dearest = Pick<Usage, 'calls' | 'readUnits' | 'writeUnits'> & {
  price: number
  cpuMs: number
  kB: number
}

/** DynamoDB asks five times as much for a unit written. */
const WRITTEN_TO_READ = 5

/** All endpoints for admins, with the token of the user. */
const REFUSED = 'any endpoint for admins'
const ANY = { id: 1, location: 'main', delivery_id: '1' }

/** Posts that have changed since the cursor. */
const CHANGED = 100
const Answer = z.object({
  pagination: z.optional(z.object({ last_page: z.int() })),
  cursor: z.optional(z.object({ next: z.nullable(z.string()) })),
})

export async function countDearest(service: CountedService, site: Site, targets: Targets) {
  await saveSettings(service.table, ALL_ENABLED)
  const { send, withValues, token } = await openFreshUser(service, await openFunctions(), targets)
  const answerOf = async (name: string, ask: CallOptions = {}) =>
    Answer.parse(JSON.parse((await send(endpointOf(name), ask)).text))
  const since = (await answerOf('GET /api/v1/changes')).cursor?.next ?? ''
  for (let n = 1; n <= CHANGED; n++) {
    const ask = { params: { id: targets.id + n }, body: { seo_title: 'Changed' } }
    await service.elsewhere(() => send(endpointOf('PATCH /api/v1/admin/posts/{id}'), ask))
  }
  await service.drainQueues()

  const costs = new Map<string, Dearest>()
  for (const { name, endpoint } of ENDPOINTS.filter(({ endpoint }) => endpoint.audience !== 'admin')) {
    await namesAreRemembered(service.table, service.nowSeconds * 1000)
    const largest = { query: { per_page: 100 } }
    const first = endpoint.isPaginated ? await answerOf(name, await withValues(endpoint, largest)) : {}
    const reach: Reach = {
      category: targets.category,
      words: site.words,
      lastPage: first.pagination?.last_page ?? 1,
      after: first.cursor?.next ?? undefined,
      since,
    }
    for (const ask of requestsOf(endpoint, reach)) {
      const options = await withValues(endpoint, ask)
      const sentBytes = Buffer.byteLength(JSON.stringify({ ...Object(options.body), padding: undefined }))
      const cost = await costOf(service, sentBytes, () => send(endpoint, options))
      costs.set(name, dearer(cost, costs.get(name) ?? cost))
    }
  }
  for (const { endpoint } of ENDPOINTS.filter(({ endpoint }) => endpoint.audience === 'admin')) {
    const cost = await costOf(service, 0, () => send(endpoint, { token, params: ANY, body: {} }))
    costs.set(REFUSED, dearer(cost, costs.get(REFUSED) ?? cost))
  }
  return costs
}

/** With all that follows but mails. The first one after a change of public content. */
async function costOf(
  { table, measure, drainQueues }: CountedService,
  sentBytes: number,
  send: () => Promise<{ text: string }>,
): Promise<Dearest> {
  await table.transact(contentRaised())
  let cpuMs = 0
  const { result, used } = await measure(async () => {
    const start = process.cpuUsage()
    const result = await send()
    const { user, system } = process.cpuUsage(start)
    cpuMs = (user + system) / 1000
    await drainQueues()
    return result
  })
  const kB = (sentBytes + Buffer.byteLength(result.text)) / 1024
  return { ...used, price: used.readUnits + WRITTEN_TO_READ * used.writeUnits, cpuMs, kB }
}

/** The one with the higher price, with the most calls and the most CPU of both. */
function dearer(one: Dearest, other: Dearest): Dearest {
  const calls = Math.max(one.calls, other.calls)
  const cpuMs = Math.max(one.cpuMs, other.cpuMs)
  return { ...(one.price > other.price ? one : other), calls, cpuMs }
}

const RATIOS = ['calls ÷ median', 'price ÷ median', 'CPU ÷ median']

/** A row for each endpoint. The last columns are multiples of the median of all endpoints. */
export function dearestTable(costs: Map<string, Dearest>): string {
  const ratioOf = (of: (cost: Dearest) => number) => {
    const median = medianOf([...costs.values()].map(of))
    return (cost: Dearest) => (of(cost) / median).toFixed(1)
  }
  const ratios = [ratioOf(cost => cost.calls), ratioOf(cost => cost.price), ratioOf(cost => cost.cpuMs)]
  const rows = [...costs].map(([name, cost]) => {
    const shown = name === REFUSED ? name : `\`${name.replace('/api/v1', '')}\``
    const units = [cost.calls, cost.readUnits, cost.writeUnits, Math.round(cost.price), Math.round(cost.kB)]
    return `| ${shown} | ${[...units, ...ratios.map(ratio => ratio(cost))].join(' | ')} |`
  })
  const columns = ['request', 'calls', 'units read', 'units written', 'price', 'kB', ...RATIOS]
  const head = `| ${columns.join(' | ')} |`
  return [head, `|${'---|'.repeat(columns.length)}`, ...rows].join('\n')
}
