// Invalid bodies, also in their bytes: every fault is named, nothing is changed, and nothing breaks.
import { beforeAll, describe, expect, it } from 'vitest'
import type * as z from 'zod/mini'
import { adminCategories } from '../../shared/categories/contract.ts'
import { ownComments } from '../../shared/comments/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { NOT_UTF8 } from '../../shared/http/text.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminSite } from '../../shared/site/contract.ts'
import { ENDPOINTS, membersOf, sendTo } from '../support/endpoints.ts'
import { readEverything, recordsOf } from '../support/records.ts'
import { patiently } from '../support/until.ts'
import { fullBodyOf, NOT_UTF8_BYTES, pathsIn, WITH_BODY, withAt } from '../support/valid-bodies.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const records = recordsOf(world)
let before: string[]
beforeAll(async () => {
  for (const { endpoint } of ENDPOINTS) await records.paramsFor(endpoint)
  before = await readEverything(world, records)
})

/** Sends with all abilities, to an existing record. */
async function send(endpoint: Endpoint, body: string | Buffer) {
  const params = await records.paramsFor(endpoint)
  const answer = await patiently(() => sendTo(world.baseUrl)(endpoint, { token: world.admin, params, body }))
  return { ...answer, faults: Object(answer.json).errors?.fields }
}

const ODD_VALUES: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  '',
  ' ',
  'x',
  '\ud800',
  '\u0000',
  '9'.repeat(5_000),
  [],
  [null],
  [[]],
  ['x'],
  [1, 'x', 2],
  [Number.MAX_SAFE_INTEGER + 2],
  {},
  { a: {} },
  { thumbnail: 7 },
]

/** A member of any JSON value refuses texts that are not UTF-8, and nothing else here. */
function isOfAnyJson(schema: z.ZodMiniType) {
  return ODD_VALUES.every(value => value === '\ud800' || schema.safeParse(value).success)
}

/** One of two members is required: the fault is reported at this one. */
const REQUIRED_OF_TWO = new Map<Endpoint, string>([[ownComments.createOwnComment, 'post_id']])

function requiredOf(endpoint: Endpoint): string[] {
  return membersOf(endpoint.body)
    .filter(([, schema]) => !schema.safeParse(undefined).success)
    .map(([name]) => name)
    .concat(REQUIRED_OF_TWO.get(endpoint) ?? [])
}

const withRequired = WITH_BODY.filter(({ endpoint }) => requiredOf(endpoint).length > 0)

describe.each(WITH_BODY)('$name', ({ endpoint }) => {
  const members = membersOf(endpoint.body)
  // A fault in every body, so that no request succeeds.
  const [anchor] = members.find(([, schema]) => !schema.safeParse({}).success) ?? []

  it('reports the faults of all members together', async () => {
    const wrong = members.map(([, schema]) => ODD_VALUES.filter(value => !schema.safeParse(value).success))
    for (const [m, [member, schema]] of members.entries()) {
      expect(wrong[m]?.length, member).toBeGreaterThan(isOfAnyJson(schema) ? 0 : 5)
    }
    for (let n = 0; n < Math.max(...wrong.map(values => values.length)); n++) {
      const faults = members.map(([member], m) => [member, wrong[m]?.[n % wrong[m].length]])
      const body = JSON.stringify(Object.fromEntries(faults))
      const { status, fields, text } = await send(endpoint, body)
      expect(text, 'in words of its own').not.toMatch(/Invalid (?:input|option)|expected/)
      const named = members.filter(([member]) => fields.some(field => `${field}.`.startsWith(`${member}.`)))
      expect([status, named.length], body.slice(0, 1_000)).toEqual([422, members.length])
    }
  })

  it('ignores unknown members of any name, except for settings', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const names = Object.getOwnPropertyNames(Object.prototype).map(name => `"${name}":{"admin":true}`)
    const unknown = `"unknown":${deep},${names.join(',')},"id":7,"":0`
    const { status, fields } = await send(endpoint, `{${unknown},"${anchor}":{"a":{${names.join(',')}}}}`)
    expect([status, fields.includes(anchor ?? '')]).toEqual([422, true])
    const isSettings = endpoint === adminSite.changeSettings
    for (const name of ['unknown', 'constructor', 'id']) expect(fields.includes(name)).toBe(isSettings)
  })

  it('reports a deeply nested value as a fault of its member', async () => {
    const deep = `${'[{"a":'.repeat(5_000)}1${'}]'.repeat(5_000)}`
    const body = `{${members.map(([member]) => `"${member}":${deep}`).join(',')}}`
    const { status, fields } = await send(endpoint, body)
    expect([status, fields.length > 0]).toEqual([422, true])
  })
})

/** The size of a body is checked before anything else, in each function. */
const ofEachGroup = [...Map.groupBy(WITH_BODY, ({ endpoint }) => endpoint.path.split('/')[3])].flatMap(
  ([, [first]]) => first ?? [],
)

describe.each(ofEachGroup)('$name', ({ endpoint }) => {
  it('accepts 2 MiB, and returns 413 for one byte more', async () => {
    const limit = 2 * 1024 * 1024
    const body = (bytes: number) => `{"unknown":"${'x'.repeat(bytes - 14)}"}`
    expect(Buffer.byteLength(body(limit))).toBe(limit)
    expect((await send(endpoint, body(limit))).code).not.toBe('PAYLOAD_TOO_LARGE')
    expect((await send(endpoint, body(limit + 1))).code).toBe('PAYLOAD_TOO_LARGE')
  })
})

describe.each(withRequired)('$name', ({ endpoint }) => {
  it('reports all missing members together', async () => {
    const { status, fields } = await send(endpoint, '{}')
    expect([status, fields.sort()]).toEqual([422, requiredOf(endpoint).sort()])
  })
})

const MARK = '<bytes>'
/** The JSON of a body with these bytes in the place of the mark. */
function bodyWith(body: unknown, bytes: number[]): Buffer {
  const [start = '', end = ''] = JSON.stringify(body).split(MARK)
  return Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)])
}

describe.each(WITH_BODY)('$name', ({ endpoint }) => {
  const full = fullBodyOf(endpoint)
  const paths = pathsIn(full, value => typeof value === 'string')
  const turns = Array.from({ length: Math.max(paths.length, NOT_UTF8_BYTES.length) }, (_, n) => ({
    path: paths[n % Math.max(1, paths.length)] ?? ['unknown'],
    bytes: NOT_UTF8_BYTES[n % NOT_UTF8_BYTES.length] ?? [],
  }))

  it('returns 422 for bytes that are not UTF-8 in any text and in names', async () => {
    const inNames = bodyWith({ ...full, [MARK]: 1 }, [0xe9])
    const inTexts = turns.map(({ path, bytes }) => bodyWith(withAt(full, path, `x${MARK}y`), bytes))
    for (const body of [inNames, ...inTexts]) {
      const { status, faults } = await send(endpoint, body)
      expect([status, faults], body.toString('latin1')).toEqual([422, { body: [NOT_UTF8] }])
    }
  })

  it('returns 422 for half of a surrogate pair, escaped in any text and in names', async () => {
    // In the body of an operation it is the fault of that operation alone.
    for (const path of paths.filter(path => !endpoint.isBatch || !path.includes('body'))) {
      const body = JSON.stringify(withAt(full, path, 'x\ud800'))
      expect((await send(endpoint, body)).status, body).toBe(422)
    }
    for (const more of [{ '\udfff': 1 }, { unknown: [{ 'a\udc00\ud800': 1 }] }]) {
      const { status, faults } = await send(endpoint, JSON.stringify({ ...full, ...more }))
      expect([status, faults.body]).toEqual([422, [NOT_UTF8]])
    }
  })

  it('skips a byte order mark', async () => {
    const { status, faults } = await send(endpoint, '\ufeff{')
    expect([status, faults]).toEqual([422, { body: ['Must be JSON.'] }])
    const ofObject = await send(endpoint, '\ufeff[]')
    expect([ofObject.status, ofObject.faults]).toEqual([422, { body: ['Must be a JSON object.'] }])
  })
})

describe('a body that begins with a byte order mark', () => {
  it('is accepted, and not stored as part of a text', async () => {
    const body = `\ufeff${JSON.stringify({ name: 'Café 🚀', description: '\ufeffx \ufffd' })}`
    const { status, json } = await send(adminCategories.createCategory, body)
    const data = { name: 'Café 🚀', slug: 'cafe', description: '\ufeffx \ufffd' }
    expect([status, json]).toMatchObject([201, { data }])
    const params = { id: Object(json).data.id }
    await world.call(adminCategories.deleteCategory, { token: world.admin, params })
  })

  it('is not JSON if it has another one, and is UTF-16 only by name', async () => {
    const again = await send(adminPosts.createPost, '\ufeff\ufeff{}')
    expect([again.status, again.faults]).toEqual([422, { body: ['Must be JSON.'] }])
    const utf16 = Buffer.from('\ufeff{"title":"x"}', 'utf16le')
    const { status, faults } = await send(adminPosts.createPost, utf16)
    expect([status, faults]).toEqual([422, { body: [NOT_UTF8] }])
  })
})

describe('all invalid bodies together', () => {
  it('change nothing', async () => {
    expect(await readEverything(world, records)).toEqual(before)
  })
})
