// Texts that are not UTF-8, in bodies, queries and paths of all endpoints: 422, and nothing changes.
import { beforeAll, describe, expect, it } from 'vitest'
import { adminCategories } from '../../shared/categories/contract.ts'
import { type Endpoint, namesIn } from '../../shared/http/endpoint.ts'
import { NOT_UTF8 } from '../../shared/http/text.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { ENDPOINTS, type RequestParts, requiredQuery, sendTo, validBodyOf } from '../support/endpoints.ts'
import { readEverything, recordsOf } from '../support/records.ts'
import { until } from '../support/until.ts'
import { fullBodyOf, pathsIn, WITH_BODY, withAt } from '../support/valid-bodies.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const records = recordsOf(world)
let before: string[]
beforeAll(async () => {
  for (const { endpoint } of ENDPOINTS) await records.paramsFor(endpoint)
  before = await readEverything(world, records)
})

/** Sends with all abilities, to an existing record. */
async function send(endpoint: Endpoint, sent: RequestParts) {
  const params = { ...(await records.paramsFor(endpoint)), ...sent.params }
  const answer = await until('an answer of a machine that is not busy', async () => {
    const received = await sendTo(world.baseUrl)(endpoint, { token: world.admin, ...sent, params })
    return received.status !== 503 && received
  })
  return { ...answer, faults: Object(answer.json).errors?.fields }
}

const INVALID: Record<string, number[]> = {
  'a letter in Latin-1': [0xe9],
  'an overlong slash': [0xc0, 0xaf],
  'an overlong letter of three bytes': [0xe0, 0x81, 0x81],
  'an overlong NUL': [0xc0, 0x80],
  'a surrogate': [0xed, 0xa0, 0x80],
  'an emoji in CESU-8': [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  'a sequence that is cut off': [0xf0, 0x9f, 0x98],
  'a byte that continues nothing': [0x80],
  'a code point above U+10FFFF': [0xf4, 0x90, 0x80, 0x80],
  'a byte that UTF-8 does not have': [0xff],
}
const KINDS = Object.values(INVALID)

const MARK = '<bytes>'
/** The JSON of a body with these bytes in the place of the mark. */
function bodyWith(body: unknown, bytes: number[]): Buffer {
  const [start = '', end = ''] = JSON.stringify(body).split(MARK)
  return Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)])
}

describe.each(WITH_BODY)('$name', ({ endpoint }) => {
  const full = fullBodyOf(endpoint)
  const paths = pathsIn(full, value => typeof value === 'string')
  const turns = Array.from({ length: Math.max(paths.length, KINDS.length) }, (_, n) => ({
    path: paths[n % Math.max(1, paths.length)] ?? ['unknown'],
    bytes: KINDS[n % KINDS.length] ?? [],
  }))

  it('returns 422 for bytes that are not UTF-8 in any text and in names', async () => {
    const inNames = bodyWith({ ...full, [MARK]: 1 }, [0xe9])
    for (const body of [
      inNames,
      ...turns.map(({ path, bytes }) => bodyWith(withAt(full, path, `x${MARK}y`), bytes)),
    ]) {
      const { status, faults } = await send(endpoint, { body })
      expect([status, faults], body.toString('latin1')).toEqual([422, { body: [NOT_UTF8] }])
    }
  })

  it('returns 422 for half of a surrogate pair, escaped in any text and in names', async () => {
    // In the body of an operation it is the fault of that operation alone.
    for (const path of paths.filter(path => !endpoint.isBatch || !path.includes('body'))) {
      const body = JSON.stringify(withAt(full, path, 'x\ud800'))
      expect((await send(endpoint, { body })).status, body).toBe(422)
    }
    for (const body of [
      { ...full, '\udfff': 1 },
      { ...full, unknown: [{ 'a\udc00\ud800': 1 }] },
    ]) {
      const { status, faults } = await send(endpoint, { body: JSON.stringify(body) })
      expect([status, faults.body]).toEqual([422, [NOT_UTF8]])
    }
  })

  it('skips a byte order mark', async () => {
    const { status, faults } = await send(endpoint, { body: '\ufeff{' })
    expect([status, faults]).toEqual([422, { body: ['Must be JSON.'] }])
    const ofObject = await send(endpoint, { body: '\ufeff[]' })
    expect([ofObject.status, ofObject.faults]).toEqual([422, { body: ['Must be a JSON object.'] }])
  })
})

describe('a body that begins with a byte order mark', () => {
  it('is accepted, and not stored as part of a text', async () => {
    const body = `\ufeff${JSON.stringify({ name: 'Café 🚀', description: '\ufeffx \ufffd' })}`
    const { status, json } = await send(adminCategories.createCategory, { body })
    expect([status, json]).toMatchObject([
      201,
      { data: { name: 'Café 🚀', slug: 'cafe', description: '\ufeffx \ufffd' } },
    ])
    const params = { id: Object(json).data.id }
    await world.call(adminCategories.deleteCategory, { token: world.admin, params })
  })

  it('is not JSON if it has another one, and is UTF-16 only by name', async () => {
    const again = await send(adminPosts.createPost, { body: '\ufeff\ufeff{}' })
    expect([again.status, again.faults]).toEqual([422, { body: ['Must be JSON.'] }])
    const utf16 = Buffer.from('\ufeff{"title":"x"}', 'utf16le')
    const { status, faults } = await send(adminPosts.createPost, { body: utf16 })
    expect([status, faults]).toEqual([422, { body: [NOT_UTF8] }])
  })
})

const IN_URL = KINDS.map(bytes => bytes.map(byte => `%${byte.toString(16)}`).join(''))

const withQuery = ENDPOINTS.flatMap(({ name, endpoint }) =>
  namesIn(endpoint.query).map(parameter => ({ name, parameter, endpoint })),
)

describe.each(withQuery)('$name?$parameter', ({ endpoint, parameter }) => {
  it('returns 422 for a value that is not UTF-8', async () => {
    const needed = requiredQuery(endpoint, parameter)
    for (const encoded of IN_URL) {
      const { status, faults } = await send(endpoint, { query: `?${needed}${parameter}=caf${encoded}` })
      expect([status, Object.keys(faults)], encoded).toEqual([422, [parameter]])
      expect(faults[parameter], encoded).toContain(NOT_UTF8)
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

describe('all requests that are not UTF-8 together', () => {
  it('change nothing', async () => {
    expect(await readEverything(world, records)).toEqual(before)
  })
})
