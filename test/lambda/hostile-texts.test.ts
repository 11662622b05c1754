// Hostile texts: the time for every text member, parameter and header grows linearly with its length.
import { describe, expect, it } from 'vitest'
import { type Endpoint, namesIn } from '../../shared/http/endpoint.ts'
import { MAX_TEXT_BYTES } from '../../shared/search/commands/index-actions.ts'
import { ENDPOINTS, endpointOf, requiredQuery } from '../world/endpoints.ts'
import { openFullChain } from '../world/full-chain.ts'
import { use } from '../world/use.ts'
import { fullBodyOf, pathsIn, valueAt, WITH_BODY, withAt } from '../world/valid-bodies.ts'

const MAX_CPU_MS = 1_000
const MEGABYTE = 1_000_000
/** The gateway accepts 10,240 bytes of request line and headers. */
const LONGEST_IN_URL = 8_000

/** Texts of so many bytes, in UTF-8 or encoded in a URL. */
function hostile(bytes: number, bytesOfMark = 2): Record<string, string> {
  return {
    marks: `a${'\u0300'.repeat(bytes / bytesOfMark / 2)}${'\u0316'.repeat(bytes / bytesOfMark / 2)}`,
    'one letter': 'x'.repeat(bytes),
    'astral characters': '🚀'.repeat(bytes / bytesOfMark / 2),
    'letters of a script without spaces': '東'.repeat((bytes / bytesOfMark / 3) * 2),
  }
}

/** The text at several positions of a URL, an address or a time, like the valid value. */
function variantsLike(valid: unknown, text: string): string[] {
  if (typeof valid !== 'string') return []
  if (/^https?:/.test(valid)) return [text, `https://${text}.example/`, `https://site.example/${text}`]
  if (/@/.test(valid)) return [text, `${text}@example.com`, `ada@${text}.example`]
  if (/^\d{4}-/.test(valid)) return [text, `${valid.slice(0, -1)}.${'9'.repeat(MEGABYTE)}Z`]
  return [text]
}

const chain = use(openFullChain)

/** Members that accept a megabyte, with the status: a body of HTML, and a password, which is then wrong. */
const ACCEPTS_MEGABYTE: Record<string, number> = {
  'POST /api/v1/auth/login password': 401,
  'POST /api/v1/admin/posts body': 201,
  'PATCH /api/v1/admin/posts/{id} body': 200,
}

/** Two posts cannot have the same slug, and another test is about ids in lists. */
const OMITTED = new Set(['category_ids', 'author_id', 'slug'])
function validBody(endpoint: Endpoint, kept: string | undefined) {
  return Object.fromEntries(
    Object.entries(fullBodyOf(endpoint)).filter(([name]) => name === kept || !OMITTED.has(name)),
  )
}

const members = WITH_BODY.flatMap(({ name, endpoint }) =>
  pathsIn(fullBodyOf(endpoint), value => typeof value === 'string').map(path => ({
    name,
    endpoint,
    path,
    member: path.join('.'),
  })),
)

describe.each(members)('$name $member', ({ name, endpoint, path, member }) => {
  it('answers within a second of CPU time for a megabyte of any text', async () => {
    const body = validBody(endpoint, path[0])
    for (const [kind, text] of Object.entries(hostile(MEGABYTE))) {
      for (const value of variantsLike(valueAt(body, path), text)) {
        const { status, fields, cpuMs } = await chain.send(endpoint, { body: withAt(body, path, value) })
        const expected = ACCEPTS_MEGABYTE[`${name} ${member}`] ?? 422
        expect([status, fields.includes(member)], kind).toEqual([expected, expected === 422])
        expect(cpuMs, kind).toBeLessThan(MAX_CPU_MS)
      }
    }
  })
})

/** As long as the texts that a request splits into words; longer ones are left to the index worker. */
const LONGEST_TOKENIZED = MAX_TEXT_BYTES
const TO_TOKENIZE: Record<string, (n: number) => string> = {
  'different words': n => `${(n * 7_919).toString(36)} `,
  'words between tags': n => `<p>${(n * 7_919).toString(36)}`,
  'a ligature of eighteen letters': () => '\ufdfa',
  'letters of two scripts in turns': n =>
    n % 2 === 0 ? 'a' : String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000)),
  ...Object.fromEntries(
    Object.entries(hostile(LONGEST_TOKENIZED - 100)).map(([kind, text]) => [kind, () => text]),
  ),
}

describe('the body of a post that is published', () => {
  it.each(Object.entries(TO_TOKENIZE))(
    'is split into words within a second of CPU time: %s',
    async (_, partOf) => {
      const body = textOfBytes(LONGEST_TOKENIZED, partOf)
      const post = { title: 'Title', body, is_published: true }
      const { status, cpuMs } = await chain.send(endpointOf('POST /api/v1/admin/posts'), { body: post })
      expect(status).toBe(201)
      expect(cpuMs).toBeLessThan(MAX_CPU_MS)
    },
  )
})

function textOfBytes(bytes: number, partOf: (n: number) => string): string {
  const parts: string[] = []
  for (let length = 0, n = 0; length < bytes - 10; n++) {
    const part = partOf(n)
    parts.push(part)
    length += Buffer.byteLength(part)
  }
  return parts.join('')
}

const parameters = ENDPOINTS.flatMap(({ name, endpoint }) => [
  ...namesIn(endpoint.params).map(parameter => ({ name, endpoint, parameter, place: 'params' })),
  ...namesIn(endpoint.query).map(parameter => ({ name, endpoint, parameter, place: 'query' })),
])

describe.each(parameters)('$name $parameter', ({ endpoint, parameter, place }) => {
  it('answers within a second of CPU time for the longest text that a URL can have', async () => {
    const needed = Object.fromEntries(new URLSearchParams(requiredQuery(endpoint, parameter)))
    const body = endpoint.body ? validBody(endpoint, undefined) : undefined
    for (const [kind, text] of Object.entries(hostile(LONGEST_IN_URL, 6))) {
      const ask =
        place === 'query'
          ? { query: { ...needed, [parameter]: text } }
          : { params: { [parameter]: text }, query: needed }
      const { status, cpuMs } = await chain.send(endpoint, { ...ask, ...(body && { body }) })
      expect(place === 'query' ? [200, 422] : [404], kind).toContain(status)
      expect(cpuMs, kind).toBeLessThan(MAX_CPU_MS)
    }
  })
})

describe.each([
  { header: 'Authorization', name: 'GET /api/v1/me', expected: 401 },
  { header: 'If-Match', name: 'PATCH /api/v1/admin/posts/{id}', expected: 412 },
  { header: 'If-None-Match', name: 'GET /api/v1/posts', expected: 200 },
  { header: 'Idempotency-Key', name: 'POST /api/v1/admin/posts', expected: 422 },
  { header: 'X-Request-Id', name: 'GET /api/v1/health', expected: 200 },
])('the header $header', ({ header, name, expected }) => {
  it('is read within a second of CPU time with the longest text that a request can have', async () => {
    const texts = {
      ...hostile(LONGEST_IN_URL),
      quotes: '"'.repeat(LONGEST_IN_URL),
      tags: 'W/'.repeat(LONGEST_IN_URL / 2),
    }
    for (const [kind, text] of Object.entries(texts)) {
      const ask = { headers: { [header]: text }, body: { title: 'Title' } }
      const { status, cpuMs } = await chain.send(
        endpointOf(name),
        header === 'Authorization' ? { ...ask, token: '' } : ask,
      )
      expect(status, kind).toBe(expected)
      expect(cpuMs, kind).toBeLessThan(MAX_CPU_MS)
    }
  })
})
