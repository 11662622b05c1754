// Invalid queries, paths and names, also in their bytes: every fault is named, and nothing breaks.
import { describe, expect, it } from 'vitest'
import { type Endpoint, namesIn } from '../../shared/http/endpoint.ts'
import { NOT_UTF8 } from '../../shared/http/text.ts'
import { adminSite, site } from '../../shared/site/contract.ts'
import {
  ENDPOINTS,
  membersOf,
  type RequestParts,
  requiredQuery,
  sendTo,
  validBodyOf,
} from '../support/endpoints.ts'
import { recordsOf } from '../support/records.ts'
import { patiently } from '../support/until.ts'
import { NOT_UTF8_BYTES } from '../support/valid-bodies.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const records = recordsOf(world)

async function send(endpoint: Endpoint, sent: RequestParts) {
  const params = { ...(await records.paramsFor(endpoint)), ...sent.params }
  const answer = await patiently(() =>
    sendTo(world.baseUrl)(endpoint, { token: world.admin, ...sent, params }),
  )
  return { ...answer, faults: Object(answer.json).errors?.fields }
}

/** Names that every object of JavaScript has are names like any others, wherever a client writes them. */
const NAMES = Object.getOwnPropertyNames(Object.prototype)

describe.each(ENDPOINTS)('$name', ({ endpoint }) => {
  // The body is invalid, so that nothing is changed.
  const body = endpoint.body ? { body: '{' } : {}
  const needed = `?${requiredQuery(endpoint)}`

  it('answers with query parameters and headers of such names as without them, and asks for no token', async () => {
    const query = `${needed}${NAMES.map(name => `${name}=1`).join('&')}`
    const headers = Object.fromEntries(NAMES.map(name => [name, '1']))
    const { status, code } = await send(endpoint, { token: '', ...body, query: needed })
    expect(await send(endpoint, { token: '', ...body, query, headers })).toMatchObject({
      status,
      ...(code && { code }),
    })
  })
})

const IN_URL = NOT_UTF8_BYTES.map(bytes => bytes.map(byte => `%${byte.toString(16)}`).join(''))

const withQuery = ENDPOINTS.flatMap(({ name, endpoint }) =>
  membersOf(endpoint.query).map(([parameter]) => ({ name, parameter, endpoint })),
)

describe.each(withQuery)('$name?$parameter', ({ endpoint, parameter }) => {
  const needed = requiredQuery(endpoint, parameter)

  it('returns 422 if the parameter is repeated', async () => {
    for (const query of [`${parameter}=1&${parameter}=1`, `${parameter}=1&other=2&${parameter}=`]) {
      const { status, fields } = await send(endpoint, { query: `?${needed}${query}` })
      expect([status, fields]).toEqual([422, [parameter]])
    }
  })

  it('reads an empty value as a value', async () => {
    const answer = await send(endpoint, { query: `?${needed}${parameter}=` })
    if (answer.status === 200) {
      expect(JSON.parse(answer.text).data).toEqual([])
    } else {
      expect([answer.status, answer.fields]).toEqual([422, [parameter]])
    }
  })

  it('returns 422 for a value that is not UTF-8', async () => {
    for (const encoded of IN_URL) {
      const { status, faults } = await send(endpoint, { query: `?${needed}${parameter}=caf${encoded}` })
      expect([status, Object.keys(faults)], encoded).toEqual([422, [parameter]])
      expect(faults[parameter], encoded).toContain(NOT_UTF8)
    }
  })

  it('returns 200 or 422 for any value', async () => {
    const values = ['9'.repeat(4_000), '%00', '%F0%9F%9A%80', '-0', '1e1', '0x1', "'", '__proto__']
    for (const value of values) {
      const { status, fields, text } = await send(endpoint, { query: `?${needed}${parameter}=${value}` })
      expect([200, 422], value.slice(0, 20)).toContain(status)
      expect(text, 'in words of its own').not.toMatch(/Invalid (?:input|option)|expected one/)
      if (status === 422) expect(fields).toEqual([parameter])
    }
  })
})

const withText = ENDPOINTS.flatMap(({ name, endpoint }) =>
  namesIn(endpoint.params).flatMap(parameter => (parameter === 'id' ? [] : { name, parameter, endpoint })),
)

describe.each(withText)('$name', ({ endpoint, parameter }) => {
  it(`returns 422 for a path whose {${parameter}} is not UTF-8`, async () => {
    for (const encoded of IN_URL) {
      const params = { [parameter]: `caf${encoded}` }
      const { status, faults } = await send(endpoint, { params, body: validBodyOf(endpoint) })
      expect([status, faults], encoded).toEqual([422, { [parameter]: [NOT_UTF8] }])
    }
  })
})

describe('a path of any length and characters', () => {
  const slugged = ENDPOINTS.filter(({ endpoint }) => endpoint.path.includes('{slug}'))
  it.each(slugged)('is answered with 404 by $name', async ({ endpoint }) => {
    for (const slug of [
      'unknown',
      'x'.repeat(201),
      'x'.repeat(5_000),
      '%F0%9F%9A%80'.repeat(500),
      '%00',
      '%2F',
      'a%2F..%2Fposts',
      'a%20b',
      '%',
      ...NAMES,
    ]) {
      const answer = await send(endpoint, { params: { slug }, body: validBodyOf(endpoint) })
      expect(answer.status, slug.slice(0, 50)).toBe(404)
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
