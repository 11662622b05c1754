// Hostile texts: no text in a member, parameter or header takes much more CPU time than a plain one.
import { describe, expect, it } from 'vitest'
import { type Endpoint, namesIn } from '../../shared/http/endpoint.ts'
import { comparedTo } from '../support/cpu-ratio.ts'
import { ENDPOINTS, endpointOf, requiredQuery } from '../support/endpoints.ts'
import { openFullChain } from '../support/full-chain.ts'
import { use } from '../support/use.ts'
import { fullBodyOf, valueAt, withAt } from '../support/valid-bodies.ts'
import { cheapRequests, LONG_TEXT, membersWhose } from './cheap-requests.ts'

/** Linear work takes twice the time for twice the text. */
const MOST_TIMES_FOR_TWICE = 2.5
const MEGABYTE = 1_000_000
/** The gateway accepts 10,240 bytes of request line and headers. */
const LONGEST_IN_URL = 8_000

/** Texts of this many bytes, in UTF-8 or encoded in a URL. */
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

const { publishMs, expectCheap } = cheapRequests(chain)

/** Members that accept a megabyte, with the status: a body of HTML, and a password, which is then wrong. */
const ACCEPTS_MEGABYTE: Record<string, number> = {
  'POST /api/v1/auth/login password': 401,
  'POST /api/v1/admin/posts body': 201,
  'PATCH /api/v1/admin/posts/{id} body': 200,
  // The operation is answered with 422, and the batch with 200.
  'POST /api/v1/admin/batch operations.0.body.name': 200,
}

/** Members of the caller's own names: one rule is about all of them, and its fault is that of the whole. */
const WHOLE = new Set([
  'POST /api/v1/admin/webhooks headers',
  'POST /api/v1/admin/webhooks body',
  'PATCH /api/v1/admin/webhooks/{id} headers',
  'PATCH /api/v1/admin/webhooks/{id} body',
])
function fieldOf(name: string, path: string[]): string {
  const [first = ''] = path
  return WHOLE.has(`${name} ${first}`) ? first : path.join('.')
}

/** Two posts cannot have the same slug, and another test is about ids in lists. */
const OMITTED = new Set(['category_ids', 'author_id', 'slug'])
function validBody(endpoint: Endpoint, kept: string | undefined) {
  return Object.fromEntries(
    Object.entries(fullBodyOf(endpoint)).filter(([name]) => name === kept || !OMITTED.has(name)),
  )
}

const members = membersWhose(value => typeof value === 'string')

describe.each(members)('$name $member', ({ name, endpoint, path, member }) => {
  it('is read in the time of a few plain posts, for a megabyte of any text', async () => {
    const body = validBody(endpoint, path[0])
    const expected = ACCEPTS_MEGABYTE[`${name} ${member}`] ?? 422
    const field = fieldOf(name, path)
    for (const [kind, text] of Object.entries(hostile(MEGABYTE))) {
      for (const value of variantsLike(valueAt(body, path), text)) {
        await expectCheap(async () => {
          const { status, fields, cpuMs } = await chain.send(endpoint, { body: withAt(body, path, value) })
          expect([status, fields.includes(field)], kind).toEqual([expected, expected === 422])
          return cpuMs
        }, kind)
      }
    }
  })
})

function repeated(partOf: (n: number) => string) {
  return (bytes: number): string => {
    const parts: string[] = []
    for (let length = 0, n = 0; length < bytes; n++) {
      const part = partOf(n)
      parts.push(part)
      length += Buffer.byteLength(part)
    }
    return parts.join('')
  }
}

const TO_TOKENIZE: Record<string, (bytes: number) => string> = {
  'different words': repeated(n => `${(n * 7_919).toString(36)} `),
  'words between tags': repeated(n => `<p>${(n * 7_919).toString(36)}`),
  'a ligature of eighteen letters': repeated(() => '\ufdfa'),
  'letters of two scripts in turns': repeated(n =>
    n % 2 === 0 ? 'a' : String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000)),
  ),
  ...Object.fromEntries(
    Object.keys(hostile(0)).map(kind => [kind, (bytes: number) => hostile(bytes)[kind] ?? '']),
  ),
}

describe('the body of a post that is published', () => {
  it.each(Object.entries(TO_TOKENIZE))('is split into words in linear time: %s', async (kind, textOf) => {
    const [half, whole] = [textOf(LONG_TEXT / 2 - 100), textOf(LONG_TEXT - 100)]
    await expectCheap(() => publishMs(whole), kind)
    const timesHalf = comparedTo(() => publishMs(half))
    const times = await timesHalf(() => publishMs(whole), MOST_TIMES_FOR_TWICE)
    expect(times, 'times half the text').toBeLessThanOrEqual(MOST_TIMES_FOR_TWICE)
  })
})

const parameters = ENDPOINTS.flatMap(({ name, endpoint }) => [
  ...namesIn(endpoint.params).map(parameter => ({ name, endpoint, parameter, place: 'params' })),
  ...namesIn(endpoint.query).map(parameter => ({ name, endpoint, parameter, place: 'query' })),
])

describe.each(parameters)('$name $parameter', ({ endpoint, parameter, place }) => {
  it('is read in the time of a few plain posts, with the longest text that a URL can have', async () => {
    const needed = Object.fromEntries(new URLSearchParams(requiredQuery(endpoint, parameter)))
    const body = endpoint.body ? validBody(endpoint, undefined) : undefined
    for (const [kind, text] of Object.entries(hostile(LONGEST_IN_URL, 6))) {
      const ask =
        place === 'query'
          ? { query: { ...needed, [parameter]: text } }
          : { params: { [parameter]: text }, query: needed }
      await expectCheap(async () => {
        const { status, cpuMs } = await chain.send(endpoint, { ...ask, ...(body && { body }) })
        expect(place === 'query' ? [200, 422] : [404], kind).toContain(status)
        return cpuMs
      }, kind)
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
  it('is read in the time of a few plain posts, with the longest text that a request can have', async () => {
    const texts = {
      ...hostile(LONGEST_IN_URL),
      quotes: '"'.repeat(LONGEST_IN_URL),
      tags: 'W/'.repeat(LONGEST_IN_URL / 2),
    }
    for (const [kind, text] of Object.entries(texts)) {
      const ask = { headers: { [header]: text }, body: { title: 'Title' } }
      await expectCheap(async () => {
        const { status, cpuMs } = await chain.send(
          endpointOf(name),
          header === 'Authorization' ? { ...ask, token: '' } : ask,
        )
        expect(status, kind).toBe(expected)
        return cpuMs
      }, kind)
    }
  })
})
