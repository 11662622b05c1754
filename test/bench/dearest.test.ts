// What an anonymous client or a fresh user can set off: no endpoint costs far more than the others. Each is
// asked for the dearest request, the first one after a change of public content, with all that follows it.
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { saveSettings } from '../../shared/site/commands.ts'
import type { CallOptions } from '../support/call.ts'
import { ALL_ENABLED, ENDPOINTS, endpointOf } from '../support/endpoints.ts'
import { useTable } from '../support/new-table.ts'
import { contentRaised, namesAreRemembered } from '../support/remembered.ts'
import { use } from '../support/use.ts'
import { medianOf } from './compare/figures.ts'
import { openCountedService } from './counted-service.ts'
import { requestsOf, type ValueSource } from './dearest-requests.ts'
import { openFreshUser } from './fresh-user.ts'
import { loadSite } from './load.ts'
import { createTargets } from './rows.ts'
import { openSite } from './site.ts'

const MOST = 10
/** DynamoDB asks five times as much for a unit written. */
const WRITTEN_TO_READ = 5
/** An answer of a MB or more may cost in addition what reading its bytes does: a unit for 4 kB. */
const LARGE_KB = 1_024
const KB_A_UNIT = 4
/** All endpoints for admins, with the token of the user. */
const REFUSED = 'any endpoint for admins'
const ANY = { id: 1, location: 'main', delivery_id: '1' }
/** Posts that have changed since the cursor. */
const CHANGED = 100

/** `price`: of all units, in units read. `kB`: how much is sent and received. */
type Dearest = { calls: number; price: number; kB: number }

const Answer = z.object({
  pagination: z.optional(z.object({ last_page: z.int() })),
  cursor: z.optional(z.object({ next: z.nullable(z.string()) })),
})

const world = useTable()
const service = use(() => openCountedService(world))
const costs = new Map<string, Dearest>()

/** Keeps the highest price of all requests under this name, and their most calls. */
async function count(name: string, sentBytes: number, send: () => Promise<{ text: string }>) {
  await service.table.transact(contentRaised())
  const { result, used } = await service.measure(async () => {
    const answer = await send()
    await service.drainQueues()
    return answer
  })
  const kB = (sentBytes + Buffer.byteLength(result.text)) / 1024
  const cost = { calls: used.calls, price: used.readUnits + WRITTEN_TO_READ * used.writeUnits, kB }
  const other = costs.get(name) ?? cost
  const calls = Math.max(cost.calls, other.calls)
  costs.set(name, { ...(cost.price > other.price ? cost : other), calls })
}

beforeAll(async () => {
  const site = openSite({ count: 400, seed: 1 })
  await loadSite(world.table, site)
  const targets = await createTargets(service, site)
  await saveSettings(service.table, ALL_ENABLED)
  const { send, withValues, token } = await openFreshUser(service, targets)
  const answerOf = async (name: string, ask: CallOptions = {}) =>
    Answer.parse(JSON.parse((await send(endpointOf(name), ask)).text))
  const since = (await answerOf('GET /api/v1/changes')).cursor?.next ?? ''
  for (let n = 1; n <= CHANGED; n++) {
    const ask = { params: { id: targets.id + n }, body: { seo_title: 'Changed' } }
    await service.elsewhere(() => send(endpointOf('PATCH /api/v1/admin/posts/{id}'), ask))
  }
  await service.drainQueues()

  for (const { name, endpoint } of ENDPOINTS.filter(({ endpoint }) => endpoint.audience !== 'admin')) {
    await namesAreRemembered(service.table, service.nowSeconds * 1000)
    const largest = { query: { per_page: 100 } }
    const first = endpoint.isPaginated ? await answerOf(name, await withValues(endpoint, largest)) : {}
    const source: ValueSource = {
      category: targets.category,
      words: site.words,
      lastPage: first.pagination?.last_page ?? 1,
      after: first.cursor?.next ?? undefined,
      since,
    }
    for (const ask of requestsOf(endpoint, source)) {
      const options = await withValues(endpoint, ask)
      const sentBytes = Buffer.byteLength(JSON.stringify({ ...Object(options.body), padding: undefined }))
      await count(name, sentBytes, () => send(endpoint, options))
    }
  }
  for (const { endpoint } of ENDPOINTS.filter(({ endpoint }) => endpoint.audience === 'admin')) {
    await count(REFUSED, 0, () => send(endpoint, { token, params: ANY, body: {} }))
  }
})

/** Those above ten times the median. */
function above(of: (cost: Dearest) => number, excused: (cost: Dearest) => number = () => 0): string[] {
  const most = MOST * medianOf([...costs.values()].map(of))
  return [...costs]
    .filter(([, cost]) => of(cost) > most + excused(cost))
    .map(([name, cost]) => `${name}: ${of(cost)}, at most ${most + excused(cost)}`)
}

describe('the dearest request of each endpoint that needs no admin', () => {
  it('makes at most ten times as many calls as the median', () => {
    expect(above(({ calls }) => calls)).toEqual([])
  })

  it('costs at most ten times as many units as the median, apart from reading an answer of megabytes', () => {
    const price = above(
      ({ price }) => price,
      ({ kB }) => (kB < LARGE_KB ? 0 : kB / KB_A_UNIT),
    )
    expect(price).toEqual([])
  })
})
