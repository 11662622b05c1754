// What a subscription itself says about its requests: headers, and a body in place of the envelope. No I/O.

export type OwnHeaders = Record<string, string>

const MAX_HEADERS = 10
const MAX_HEADER_BYTES = 4_096
const MAX_BODY_BYTES = 8_192

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/
const VALUE = /^[\x20-\x7e]*$/
/** Those of the signature, the content and the connection. */
const RESERVED =
  /^(signature|webhook-.*|content-.*|x-request-id|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|accept-encoding)$/i

/** What is wrong with them, without their values. */
export function faultOfHeaders(headers: OwnHeaders): string | undefined {
  const names = Object.keys(headers)
  if (names.length > MAX_HEADERS) return `Must have at most ${MAX_HEADERS} members.`
  const bytes = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (bytes > MAX_HEADER_BYTES) return 'Must be at most 4 kB.'
  if (names.some(name => !TOKEN.test(name))) return 'Must have names of letters, digits and hyphens.'
  const reserved = names.find(name => RESERVED.test(name))
  if (reserved !== undefined) return `Must not have ${reserved}, which the service sends or refuses to send.`
  if (new Set(names.map(name => name.toLowerCase())).size < names.length) return 'Must have each name once.'
  const odd = names.find(name => !VALUE.test(headers[name] ?? ''))
  return odd === undefined ? undefined : `Must have printable ASCII characters alone as the value of ${odd}.`
}

const PAYLOAD = '{{payload}}'

/** What is wrong with a body. */
export function faultOfBody(body: unknown): string | undefined {
  const json = compact(body)
  if (json === undefined || Buffer.byteLength(json) > MAX_BODY_BYTES) return 'Must be JSON of at most 8 kB.'
  let [payloads, isWellFormed] = [0, true]
  JSON.parse(json, (name, value) => {
    isWellFormed &&= name.isWellFormed() && (typeof value !== 'string' || value.isWellFormed())
    if (value === PAYLOAD) payloads++
    return value
  })
  if (!isWellFormed) return 'Must be well-formed UTF-8.'
  return payloads > 1 ? `Must have ${PAYLOAD} at most once.` : undefined
}

/** Undefined if it is nested too deeply to be written. */
function compact(body: unknown): string | undefined {
  try {
    return JSON.stringify(body)
  } catch {
    return undefined
  }
}

type Envelope = { event: string; occurred_at: string; data: Record<string, unknown> }

/** The template with the values of the envelope. `cursor` is called if the envelope has none. */
export function bodyFrom(template: string, envelope: string, cursor: () => string): string {
  const payload: Envelope = JSON.parse(envelope)
  const { event, occurred_at, data } = payload
  const values = new Map<unknown, () => unknown>([
    ['{{event}}', () => event],
    ['{{occurred_at}}', () => occurred_at],
    ['{{id}}', () => data.id],
    ['{{count}}', () => data.count ?? 1],
    ['{{cursor}}', () => data.cursor ?? cursor()],
    [PAYLOAD, () => payload],
  ])
  return JSON.stringify(replaced(JSON.parse(template), values))
}

function replaced(value: unknown, values: Map<unknown, () => unknown>): unknown {
  if (Array.isArray(value)) return value.map(member => replaced(member, values))
  if (typeof value !== 'object' || value === null) return values.has(value) ? values.get(value)?.() : value
  const members = Object.entries(value).map(([name, member]) => [name, replaced(member, values)])
  return Object.fromEntries(members)
}

/** How the log shows the headers of a subscription, instead of those of the service with the same name. */
export function withHidden(headers: OwnHeaders, own: string[]): OwnHeaders {
  const names = new Set(own.map(name => name.toLowerCase()))
  const others = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()))
  return Object.fromEntries([...others, ...own.map(name => [name, '(not shown)'])])
}
