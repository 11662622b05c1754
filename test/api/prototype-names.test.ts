// Names that every object of JavaScript has are names like any others, wherever a client writes them.
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminSite, site } from '../../shared/site/contract.ts'
import { ENDPOINTS, type RequestParts, requiredQuery, sendTo, validBodyOf } from '../world/endpoints.ts'
import { recordsOf } from '../world/records.ts'
import { until } from '../world/until.ts'
import { fullBodyOf, WITH_BODY } from '../world/valid-bodies.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
const records = recordsOf(world)

const NAMES = Object.getOwnPropertyNames(Object.prototype)

/** Without a token: what needs none must not ask for one. */
async function send(endpoint: Endpoint, sent: RequestParts = {}) {
  const params = { ...(await records.paramsFor(endpoint)), ...sent.params }
  return until('an answer of a machine that is not busy', async () => {
    const answer = await sendTo(world.baseUrl)(endpoint, { ...sent, params })
    return answer.status !== 503 && answer
  })
}

describe.each(ENDPOINTS)('$name', ({ endpoint }) => {
  // The body is invalid, so that nothing is changed.
  const body = endpoint.body ? { body: '{' } : {}
  const needed = `?${requiredQuery(endpoint)}`

  it('answers with query parameters and headers of such names as without them', async () => {
    const { status, code } = await send(endpoint, { ...body, query: needed })
    const query = `${needed}${NAMES.map(name => `${name}=1`).join('&')}`
    const headers = Object.fromEntries(NAMES.map(name => [name, '1']))
    const answer = await send(endpoint, { ...body, query, headers })
    expect([answer.status, answer.code]).toEqual([status, code])
  })
})

describe.each(WITH_BODY)('$name', ({ endpoint }) => {
  it('ignores members of such names, except for settings', async () => {
    const [first = ''] = Object.keys(fullBodyOf(endpoint))
    const members = NAMES.map(name => `${JSON.stringify(name)}:{"admin":true}`).join(',')
    const sent = { token: world.admin, body: `{${members},${JSON.stringify(first)}:{"a":{${members}}}}` }
    const { status, fields } = await send(endpoint, sent)
    expect([status, fields.length > 0]).toEqual([422, true])
    if (endpoint === adminSite.changeSettings) return
    expect(fields.filter(field => NAMES.includes(field))).toEqual([])
  })
})

/** PUT creates a menu at a new location. */
const byName = ENDPOINTS.filter(
  ({ endpoint: { method, path } }) => method !== 'PUT' && /\{(slug|location|delivery_id)\}$/.test(path),
)

describe.each(byName)('$name', ({ endpoint }) => {
  it('returns 404 for a record of such a name', async () => {
    const [, last = ''] = /\{(\w+)\}$/.exec(endpoint.path) ?? []
    for (const name of NAMES) {
      const sent = { token: world.admin, params: { [last]: name }, body: validBodyOf(endpoint) }
      expect((await send(endpoint, sent)).status, name).toBe(404)
    }
  })
})

describe('a menu whose location is such a name', () => {
  it('is saved, shown, listed and deleted like any other', async () => {
    const { admin: token } = world
    for (const location of NAMES.filter(name => /^[a-z_]+$/.test(name))) {
      const items = [{ label: location, url: '/' }]
      const params = { location }
      expect((await world.call(adminSite.putMenu, { token, params, body: { items } })).status).toBe(200)
      expect((await world.call(site.getMenu, { params })).data.items).toMatchObject(items)
      const { data } = await world.call(adminSite.listMenus, { token })
      expect(data.map(menu => menu.location)).toContain(location)
      await world.call(adminSite.deleteMenu, { token, params })
      expect((await world.call(site.getMenu, { params })).status).toBe(404)
    }
  })
})
