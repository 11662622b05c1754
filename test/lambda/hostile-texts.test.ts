// Texts that make work: every text member, parameter and header takes time that grows with its length and no faster.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Endpoint, namesIn } from '../../shared/http/endpoint.ts'
import { ENDPOINTS, requiredQuery } from '../world/endpoints.ts'
import { endpointOf, type FullChain, openFullChain } from '../world/full-chain.ts'
import { fullBodyOf, pathsIn, valueAt, WITH_BODY, withAt } from '../world/valid-bodies.ts'

const MOST_CPU_MS = 1_000
const MEGABYTE = 1_000_000
/** What the gateway takes of an address line and headers is 10,240 bytes. */
const LONGEST_IN_URL = 8_000

/** So many bytes of UTF-8, or of its encoding in a URL. */
function hostile(bytes: number, bytesOfMark = 2): Record<string, string> {
  return {
    marks: `a${'\u0300'.repeat(bytes / bytesOfMark / 2)}${'\u0316'.repeat(bytes / bytesOfMark / 2)}`,
    'one letter': 'x'.repeat(bytes),
    'astral characters': '🚀'.repeat(bytes / bytesOfMark / 2),
    'letters of a script without spaces': '東'.repeat((bytes / bytesOfMark / 3) * 2),
  }
}

/** A text in the places where parsers of URLs, addresses and times meet it. */
function inFormOf(right: unknown, text: string): string[] {
  if (typeof right !== 'string') return []
  if (/^https?:/.test(right)) return [text, `https://${text}.example/`, `https://site.example/${text}`]
  if (/@/.test(right)) return [text, `${text}@example.com`, `ada@${text}.example`]
  if (/^\d{4}-/.test(right)) return [text, `${right.slice(0, -1)}.${'9'.repeat(MEGABYTE)}Z`]
  return [text]
}

let chain: FullChain
beforeAll(async () => {
  chain = await openFullChain()
})
afterAll(() => chain.stop())

/** What takes a megabyte of text as it is: a body of HTML, and a password that is then wrong. */
const TAKES_MORE: Record<string, number> = {
  'POST /api/v1/auth/login password': 401,
  'POST /api/v1/admin/posts body': 201,
  'PATCH /api/v1/admin/posts/{id} body': 200,
}

/** Two posts cannot have one slug, and ids in lists are of another test. */
const LEFT_OUT = new Set(['category_ids', 'author_id', 'slug'])
function rightBody(endpoint: Endpoint, kept: string | undefined) {
  return Object.fromEntries(
    Object.entries(fullBodyOf(endpoint)).filter(([name]) => name === kept || !LEFT_OUT.has(name)),
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
  it('is answered within a second of CPU for a megabyte of any text', async () => {
    const body = rightBody(endpoint, path[0])
    for (const [kind, text] of Object.entries(hostile(MEGABYTE))) {
      for (const value of inFormOf(valueAt(body, path), text)) {
        const { status, fields, cpuMs } = await chain.send(endpoint, { body: withAt(body, path, value) })
        const wanted = TAKES_MORE[`${name} ${member}`] ?? 422
        expect([status, fields.includes(member)], kind).toEqual([wanted, wanted === 422])
        expect(cpuMs, kind).toBeLessThan(MOST_CPU_MS)
      }
    }
  })
})

const parameters = ENDPOINTS.flatMap(({ name, endpoint }) => [
  ...namesIn(endpoint.params).map(parameter => ({ name, endpoint, parameter, place: 'params' })),
  ...namesIn(endpoint.query).map(parameter => ({ name, endpoint, parameter, place: 'query' })),
])

describe.each(parameters)('$name $parameter', ({ endpoint, parameter, place }) => {
  it('is answered within a second of CPU for the longest text that a URL takes', async () => {
    const needed = Object.fromEntries(new URLSearchParams(requiredQuery(endpoint, parameter)))
    const body = endpoint.body ? rightBody(endpoint, undefined) : undefined
    for (const [kind, text] of Object.entries(hostile(LONGEST_IN_URL, 6))) {
      const ask =
        place === 'query'
          ? { query: { ...needed, [parameter]: text } }
          : { params: { [parameter]: text }, query: needed }
      const { status, cpuMs } = await chain.send(endpoint, { ...ask, ...(body && { body }) })
      expect(place === 'query' ? [200, 422] : [404], kind).toContain(status)
      expect(cpuMs, kind).toBeLessThan(MOST_CPU_MS)
    }
  })
})

describe.each([
  { header: 'Authorization', name: 'GET /api/v1/me', wanted: 401 },
  { header: 'If-Match', name: 'PATCH /api/v1/admin/posts/{id}', wanted: 412 },
  { header: 'If-None-Match', name: 'GET /api/v1/posts', wanted: 200 },
  { header: 'Idempotency-Key', name: 'POST /api/v1/admin/posts', wanted: 422 },
  { header: 'X-Request-Id', name: 'GET /api/v1/health', wanted: 200 },
])('the header $header', ({ header, name, wanted }) => {
  it('is answered within a second of CPU for the longest text that a request takes', async () => {
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
      expect(status, kind).toBe(wanted)
      expect(cpuMs, kind).toBeLessThan(MOST_CPU_MS)
    }
  })
})
