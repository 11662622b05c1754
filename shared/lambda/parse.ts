// Reads query and body as they were sent, and names the members that the endpoint does not know.
import { isBodyOptional, namesIn } from '../http/endpoint.ts'
import { NOT_UTF8 } from '../http/text.ts'
import type { Step } from './chain.ts'
import { ignoredNames } from './ignored.ts'
import {
  bodyEncoding,
  type Faults,
  type RequestContext,
  type WithClaim,
  type WithParsedInput,
  type WithRoute,
} from './request-context.ts'

type Needs = RequestContext & WithRoute & WithClaim

export function parse(): Step<Needs, WithParsedInput> {
  const parseBefore = (context: Needs): WithParsedInput => {
    const { endpoint } = context.route
    const faults: Faults = new Map(Object.entries({ ...context.keyFaults, ...context.pathFaults }))
    const query = queryOf(context, faults)
    const body = endpoint.body ? bodyOf(context, faults) : undefined
    return { parsed: { query, body, faults }, ignored: ignoredNames(endpoint, parametersOf(context), body) }
  }
  return { before: parseBefore }
}

export function addFault(faults: Faults, field: string, message: string): void {
  faults.set(field, [...(faults.get(field) ?? []), message])
}

function parametersOf({ event }: RequestContext): Record<string, string[] | undefined> {
  return event.multiValueQueryStringParameters ?? {}
}

/** API Gateway decodes queries with this for what is not UTF-8. Sent as itself it is refused, too. */
const REPLACEMENT = '\ufffd'

/** The parameters that the endpoint knows. One that is sent twice has no single value. */
function queryOf(context: RequestContext & WithRoute, faults: Faults): Record<string, string> {
  const names = new Set(namesIn(context.route.endpoint.query))
  const query: Record<string, string> = {}
  for (const [name, values = []] of Object.entries(parametersOf(context))) {
    if (!names.has(name)) continue
    if (values.length > 1) addFault(faults, name, 'Must be given once.')
    if (values.some(value => value.includes(REPLACEMENT))) addFault(faults, name, NOT_UTF8)
    query[name] = values[0] ?? ''
  }
  return query
}

/** Skips a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The body is read as JSON in UTF-8, whatever its Content-Type is. */
function bodyOf({ event, route }: RequestContext & WithRoute, faults: Faults): object | undefined {
  let text: string
  try {
    text = utf8.decode(Buffer.from(event.body ?? '', bodyEncoding(event)))
  } catch {
    addFault(faults, 'body', NOT_UTF8)
    return undefined
  }
  if (text === '' && isBodyOptional(route.endpoint)) return {}
  try {
    const body: unknown = JSON.parse(text)
    if (ESCAPED_SURROGATE.test(text) && hasIllFormedName(body)) addFault(faults, 'body', NOT_UTF8)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
    addFault(faults, 'body', 'Must be a JSON object.')
  } catch {
    addFault(faults, 'body', 'Must be JSON.')
  }
  return undefined
}

const ESCAPED_SURROGATE = /\\ud[89a-f]/i

/** Values are checked by their schemas, names of members have none. */
function hasIllFormedName(body: unknown): boolean {
  const values = [body]
  // The list grows while it is walked.
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue
    const names = Array.isArray(value) ? [] : Object.keys(value)
    if (!names.every(name => name.isWellFormed())) return true
    for (const member of Object.values(value)) values.push(member)
  }
  return false
}
