// In maintenance every endpoint is closed to all but admins, except the few that stay open.
import { describe, expect, it } from 'vitest'
import { adminUsers } from '../../shared/accounts/admin-contract.ts'
import { auth } from '../../shared/accounts/contract.ts'
import { ABILITIES } from '../../shared/http/audience.ts'
import { ENDPOINTS, sendTo, sequentially } from '../support/endpoints.ts'
import { rawRequest } from '../support/raw.ts'
import { useWorld } from '../support/world.ts'

const MESSAGE = 'Back at noon'

const world = useWorld({ settings: { 'maintenance.enabled': true, 'maintenance.message': MESSAGE } })

const OPEN = ['GET /api/v1/health', 'POST /api/v1/auth/login', 'POST /api/v1/auth/logout']
const closed = ENDPOINTS.filter(({ name }) => !OPEN.includes(name))

async function send({ name, endpoint }: (typeof ENDPOINTS)[number], token: string) {
  return { name, ...(await sendTo(world.baseUrl)(endpoint, { token, body: '{' })) }
}

async function bannedAdmin(): Promise<string> {
  const { id, token } = await world.create.user({ abilities: [...ABILITIES] })
  const request = { token: world.admin, params: { id }, body: {} }
  expect((await world.call(adminUsers.banUser, request)).status).toBe(200)
  return token
}

const withoutAdmin = ABILITIES.filter(ability => ability !== 'admin')

describe('a closed endpoint in maintenance', () => {
  it.each([
    ['a request without a token', async () => ''],
    ['a token with all abilities except admin', () => world.create.token(world.owner.id, withoutAdmin)],
    ['a forged token', async () => world.admin.replace(/.{43}$/, 'A'.repeat(43))],
    ['a banned admin', bannedAdmin],
  ])('returns 503 with Retry-After to %s', async (_who, tokenOf) => {
    const token = await tokenOf()
    const answers = await sequentially(closed, endpoint => send(endpoint, token))
    const body = { success: false, message: MESSAGE, errors: { code: 'MAINTENANCE_MODE' } }
    for (const { name, status, headers, json } of answers) {
      expect([name, status, headers['retry-after'], json]).toEqual([name, 503, '60', body])
    }
  })

  it('is open to an admin, and records the use of the token', async () => {
    const answers = await sequentially(closed, async endpoint =>
      send(endpoint, await world.create.token(world.owner.id, [...ABILITIES])),
    )
    const failed = answers.filter(({ status }) => status >= 500 || status === 401)
    expect(failed.map(({ name, status }) => [name, status])).toEqual([])
    const stored = answers.filter(({ headers }) => headers['cache-control'] !== 'no-store')
    expect(stored.map(({ name }) => name)).toEqual([])
  })

  it('answers an admin with no-store, also with 304', async () => {
    const path = '/api/v1/settings/public'
    const token = { Authorization: `Bearer ${world.admin}` }
    const first = await rawRequest(world.baseUrl, 'GET', path, { headers: token })
    const headers = { ...token, 'If-None-Match': first.headers.etag ?? '' }
    const again = await rawRequest(world.baseUrl, 'GET', path, { headers })
    expect([first, again].map(({ status, headers }) => [status, headers['cache-control']])).toEqual([
      [200, 'no-store'],
      [304, 'no-store'],
    ])
  })
})

describe('maintenance', () => {
  it('leaves health, login and logout open', async () => {
    const open = ENDPOINTS.filter(({ name }) => OPEN.includes(name))
    const answers = await sequentially(open, endpoint => send(endpoint, ''))
    expect(Object.fromEntries(answers.map(({ name, status }) => [name, status]))).toEqual({
      'GET /api/v1/health': 200,
      'POST /api/v1/auth/login': 422,
      'POST /api/v1/auth/logout': 401,
    })
    const health = answers.find(({ status }) => status === 200)
    expect(health?.json).toMatchObject({ data: { status: 'maintenance' } })
    const { token } = await world.create.user()
    expect((await world.call(auth.logout, { token })).status).toBe(200)
  })

  it('does not affect preflights, unknown paths and malformed ids', async () => {
    const statusOf = async (method: string, path: string) =>
      (await rawRequest(world.baseUrl, method, path)).status
    expect(await statusOf('OPTIONS', '/api/v1/posts')).toBe(204)
    expect(await statusOf('GET', '/api/v1/nothing')).toBe(404)
    expect(await statusOf('GET', '/api/v1/admin/posts/abc')).toBe(404)
  })
})
