// Finds the endpoint of a request, and reads query and body by its schemas.
import type * as z from 'zod/mini'
import { isBodyOptional, namesIn } from '../http/endpoint.ts'
import { ApiError, type Fields, invalid, notFound } from '../http/errors.ts'
import { normalize } from '../http/normalize.ts'
import { NOT_UTF8 } from '../http/text.ts'
import {
  bodyEncoding,
  type EndpointHandler,
  type Input,
  type RequestContext,
  type WithClaim,
  type WithRoute,
} from './handler.ts'

import '../http/zod-messages.ts'

export const LARGEST_BODY_BYTES = 2 * 1024 * 1024

/** Refuses with 404 and 413. */
export function route(all: EndpointHandler[]) {
  const routes = new Map(all.map(each => [routeName(each.endpoint.method, each.endpoint.path), each]))

  return ({ event }: RequestContext): WithRoute => {
    const { resource, httpMethod, body, pathParameters } = event
    const found = routes.get(routeName(httpMethod === 'HEAD' ? 'GET' : httpMethod, resource))
    if (!found) throw notFound('Endpoint')
    const { texts, pathFaults } = decoded(pathParameters ?? {})
    const params = found.endpoint.params.safeParse(texts)
    if (!params.success) throw notFound('Resource')
    if (body && Buffer.byteLength(body, bodyEncoding(event)) > LARGEST_BODY_BYTES) {
      throw new ApiError('PAYLOAD_TOO_LARGE', 'The request body is larger than 2 MiB.')
    }
    return { route: { ...found, params: params.data }, pathFaults }
  }
}

function routeName(method: string, path: string): string {
  return `${method} ${path}`
}

const MALFORMED = /%(?![0-9a-f]{2})/i
/** Takes the place of a text that is not UTF-8, which is 422 later on. It is no id: a wrong id is 404. */
const STAND_IN = 'x'

/** Decodes each path parameter once. A malformed encoding is 404, because no resource has such a name. */
function decoded(parameters: Record<string, string | undefined>) {
  const pathFaults: Fields = {}
  const texts = Object.entries(parameters).map(([name, value = '']) => {
    if (MALFORMED.test(value)) throw notFound('Resource')
    try {
      return [name, normalize(decodeURIComponent(value), 'NFC')]
    } catch {
      pathFaults[name] = [NOT_UTF8]
      return [name, STAND_IN]
    }
  })
  return { texts: Object.fromEntries(texts), pathFaults }
}

/** Texts by field. A map, because a client may name a member `constructor`. */
type Faults = Map<string, string[]>

type Needs = RequestContext & WithRoute & Pick<WithClaim, 'keyFaults'>

/** Unknown members and parameters are ignored. Throws VALIDATION_ERROR. */
export function readInput(context: Needs): Input {
  const { endpoint, stageFaults } = context.route
  const faults: Faults = new Map(Object.entries({ ...context.keyFaults, ...context.pathFaults }))
  const sentQuery = sentQueryOf(context, faults)
  const sentBody = endpoint.body ? sentBodyOf(context, faults) : undefined
  const query = parsedBy(endpoint.query, sentQuery, faults)
  const body = endpoint.body && sentBody ? parsedBy(endpoint.body, sentBody, faults) : undefined
  const ofStage = sentBody ? stageFaults(sentBody, context.runtime.environment) : {}
  for (const [field, [text = '']] of Object.entries(ofStage)) addFault(faults, field, text)
  if (faults.size > 0) throw invalid(Object.fromEntries(faults))
  return { query, body }
}

function addFault(faults: Faults, field: string, message: string): void {
  faults.set(field, [...(faults.get(field) ?? []), message])
}

/** API Gateway decodes queries with this for what is not UTF-8. Sent as itself it is refused, too. */
const REPLACEMENT = '\ufffd'

/** The parameters that the endpoint knows. One that is sent twice has no single value. */
function sentQueryOf({ event, route }: Needs, faults: Faults): Record<string, string> {
  const names = new Set(namesIn(route.endpoint.query))
  const query: Record<string, string> = {}
  for (const [name, values = []] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
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
function sentBodyOf({ event, route }: Needs, faults: Faults): object | undefined {
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

/** A list with a million wrong members would make a response larger than Lambda allows. */
const MAX_FAULTS = 1_000

function parsedBy(schema: z.ZodMiniType, value: unknown, faults: Faults): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const found = result.error.issues.slice(0, MAX_FAULTS).flatMap(faultsOf).slice(0, MAX_FAULTS)
  for (const [field, message] of found) addFault(faults, field, message)
  return undefined
}

/** A strict object reports its unknown members in one issue; each of them gets a fault of its own. */
function faultsOf(issue: z.core.$ZodIssue): [field: string, message: string][] {
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map(key => [[...issue.path, key].join('.'), 'Is not known.'])
    : [[issue.path.join('.'), issue.message]]
}
