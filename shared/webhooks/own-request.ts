// What a subscription itself says about its requests: headers, and a body in place of the envelope. No I/O.
import { compactJson, NOT_UTF8 } from '../http/text.ts'

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

/** Texts that are values, and not names of members, in compact JSON. A quote within a text is escaped. */
const PLACES = /(?<!\\)"\{\{(event|occurred_at|id|count|cursor|payload)\}\}"(?!:)/g

/** A lone surrogate in compact JSON, where a backslash of a text is doubled. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/

/** What is wrong with a body. Its JSON is read as a text: its depth may exceed the stack of a recursion. */
export function faultOfBody(body: unknown): string | undefined {
  const json = compactJson(body)
  if (json === undefined || Buffer.byteLength(json) > MAX_BODY_BYTES) return 'Must be JSON of at most 8 kB.'
  if (LONE_SURROGATE.test(json)) return NOT_UTF8
  const payloads = [...json.matchAll(PLACES)].filter(([, name]) => name === 'payload')
  return payloads.length > 1 ? 'Must have {{payload}} at most once.' : undefined
}

type Envelope = { event: string; occurred_at: string; data: Record<string, unknown> }

/** The template with the values of the envelope, both compact JSON. `cursor` is called if it has none. */
export function bodyFrom(template: string, envelope: string, cursor: () => string): string {
  const { event, occurred_at, data }: Envelope = JSON.parse(envelope)
  const { id, count = 1 } = data
  const values: Record<string, unknown> = { event, occurred_at, id, count }
  return template.replace(PLACES, (_, name: string) => {
    if (name === 'payload') return envelope
    return JSON.stringify(name === 'cursor' ? (data.cursor ?? cursor()) : values[name])
  })
}

/** How the log shows the headers of a subscription, instead of those of the service with the same name. */
export function withHidden(headers: OwnHeaders, own: string[]): OwnHeaders {
  const names = new Set(own.map(name => name.toLowerCase()))
  const others = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()))
  return Object.fromEntries([...others, ...own.map(name => [name, '(not shown)'])])
}
