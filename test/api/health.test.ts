// The health check: quick for all callers, and of each part of the service for admins.
import { describe, expect, it } from 'vitest'
import { outboxRow } from '../../shared/events/outbox.ts'
import { rawRequest } from '../support/raw.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** Asks again while a part does not answer in time, as on a busy machine. */
function health(query: string, token?: string) {
  const sent: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  return until('all parts to answer in time', async () => {
    const path = `/api/v1/health${query}`
    const { status, headers, json, text } = await rawRequest(world.baseUrl, 'GET', path, { headers: sent })
    return status !== 503 && !text.includes('Does not answer.') && { status, headers, json: Object(json) }
  })
}

describe('GET /api/v1/health?deep=1', () => {
  it('requires a token with the ability admin', async () => {
    const user = await world.create.user()
    expect(await health('?deep=1')).toMatchObject({
      status: 401,
      json: { errors: { code: 'UNAUTHENTICATED' } },
    })
    expect(await health('?deep=1', user.token)).toMatchObject({
      status: 403,
      json: { errors: { code: 'FORBIDDEN' } },
    })
    expect(await health('?deep=2')).toMatchObject({ status: 401 })
    expect(await health('?deep=2', world.admin)).toMatchObject({ status: 422 })
  })

  it('checks table, sweep and outbox', async () => {
    const before = await health('?deep=1', world.admin)
    expect(before.json.data).toMatchObject({
      status: 'degraded',
      checks: { sweep: { ok: false, problem: 'Has never ended well.', last_at: null } },
    })
    await world.runSchedule('sweep')
    const { status, json } = await health('?deep=1', world.admin)
    expect([status, json.data.status]).toEqual([200, 'ok'])
    expect(json.data.checks).toMatchObject({
      table: { ok: true, latency_ms: expect.any(Number) },
      sweep: { ok: true, last_at: expect.any(String) },
      outbox: { ok: true, oldest_seconds: null, waiting: 0 },
    })
  })

  it('is stored by no cache, other than the answer for all callers', async () => {
    const cachings = [await health('?deep=1', world.admin), await health(''), await health('', world.admin)]
    expect(cachings.map(({ status, headers }) => [status, headers['cache-control']])).toEqual([
      [200, 'no-store'],
      [200, 'public, no-cache'],
      [200, 'public, no-cache'],
    ])
  })

  it('reports the age of the oldest message in the outbox', async () => {
    const row = outboxRow({ queue: 'jobs', body: { kind: 'list', list: 'category:0' } }, Date.now() - 200_000)
    await world.table.write({ Put: { Item: row } })
    const { json } = await health('?deep=1', world.admin)
    expect(json.data).toMatchObject({ status: 'degraded', checks: { outbox: { ok: false, waiting: 1 } } })
    expect(json.data.checks.outbox.oldest_seconds).toBeGreaterThanOrEqual(200)
    await world.table.removeMany([{ pk: row.pk, sk: row.sk }])
  })
})
