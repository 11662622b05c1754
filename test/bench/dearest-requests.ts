// The requests of an anonymous client and of a fresh user that may cost most, derived from the declarations.
import type { Endpoint } from '../../shared/http/endpoint.ts'
import type { CallOptions } from '../support/call.ts'
import { membersOf } from '../support/endpoints.ts'
import { type Body, fullBodyOf } from '../support/valid-bodies.ts'
import { PLANTED, upToLongest } from './site.ts'

/** What values are taken from. `words`: the most frequent first. `since`, `after`: cursors. */
export type ValueSource = {
  category: string
  words: string[]
  lastPage: number
  after: string | undefined
  since: string
}

const FORGED = ['forged', 'A'.repeat(1_500)]
/** For each parameter, the values that cost most, and forged ones. */
const VALUES: Record<string, (source: ValueSource) => (string | undefined)[]> = {
  page: ({ lastPage }) => [2, Math.ceil(lastPage / 2), lastPage + 1].map(String),
  per_page: () => ['100'],
  limit: () => ['100'],
  after: ({ after }) => [after, ...FORGED],
  since: ({ since }) => [since, ...FORGED],
  category: ({ category }) => [category],
  q: ({ words }) => [words.slice(0, 10).join(' '), upToLongest(words), PLANTED.half, PLANTED.prefix],
  order: () => ['oldest'],
  include: () => ['body', 'item'],
}
/** Parameters that make an answer larger. */
const LARGER = ['per_page', 'limit', 'include', 'q', 'since']

/** How long texts may be, the longest first, in characters of four bytes. */
const LENGTHS = [10_000, 5_000, 1_000, 500, 255, 200, 100]
const WIDE = '😀'
const MAX_BODY_BYTES = 2 * 1024 * 1024

export function requestsOf(endpoint: Endpoint, source: ValueSource): CallOptions[] {
  if (endpoint.body !== null) return bodiesOf(endpoint).map(body => ({ body }))
  return [...queriesOf(endpoint, source).map(query => ({ query })), ...forgedHeaders(endpoint)]
}

/** No parameter, each value, and with all that make the answer larger one or two other values. */
function queriesOf({ query: schema, path, method }: Endpoint, source: ValueSource): Record<string, string>[] {
  const singles = membersOf(schema).flatMap(([name]) => {
    const values = VALUES[name]?.(source)
    if (values) return values.flatMap(value => (value === undefined ? [] : [{ [name]: value }]))
    throw new Error(`Add values of ${name} of ${method} ${path} to VALUES in test/bench/dearest-requests.ts.`)
  })
  const isAllowed = (query: object) => schema.safeParse(query).success
  const larger: Record<string, string> = {}
  for (const single of singles) {
    const isNew = LARGER.some(name => name in single && !(name in larger))
    if (isNew && isAllowed({ ...larger, ...single })) Object.assign(larger, single)
  }
  const pairs = singles.flatMap((one, n) => singles.slice(n + 1).map(other => ({ ...one, ...other })))
  const withLarger = [{}, ...singles, ...pairs].map(query => ({ ...larger, ...query }))
  const all = [{}, ...singles, ...withLarger].filter(isAllowed)
  return [...new Map(all.map(query => [JSON.stringify(Object.entries(query).sort()), query])).values()]
}

function forgedHeaders({ method }: Endpoint): CallOptions[] {
  if (method !== 'GET') return []
  const headers: Record<string, string>[] = [
    { Authorization: `Bearer hcs_1_1_${'A'.repeat(43)}` },
    { 'Preview-Token': 'A'.repeat(200) },
    { 'If-None-Match': '"1", '.repeat(1_000) },
  ]
  return headers.map(headers => ({ headers }))
}

/** The example with texts as long as they may be, the same as large as a request may be, and an empty one. */
export function bodiesOf(endpoint: Endpoint): [largest: Body, padded: Body, empty: Body] {
  const full = { ...fullBodyOf(endpoint) }
  for (const [name, value] of Object.entries(full)) {
    if (typeof value !== 'string') continue
    const longer = LENGTHS.map(length => ({ ...full, [name]: WIDE.repeat(length) }))
    Object.assign(
      full,
      longer.find(body => endpoint.body?.safeParse(body).success),
    )
  }
  const padding = ' '.repeat(MAX_BODY_BYTES - Buffer.byteLength(JSON.stringify(full)) - 200)
  return [full, { ...full, padding }, {}]
}
