// Reads query and body as they were sent, and names the members that the endpoint does not know.
import { isBodyOptional, namesIn } from '../http/endpoint.ts'
import type { Step } from './chain.ts'
import { ignoredNames } from './ignored.ts'
import type { Faults, RequestContext, WithClaim, WithParsedInput, WithRoute } from './request-context.ts'

type Needs = RequestContext & WithRoute & WithClaim

export function parse(): Step<Needs, WithParsedInput> {
  const parseBefore = (context: Needs): WithParsedInput => {
    const { endpoint } = context.route
    const faults: Faults = new Map(Object.entries(context.keyFaults))
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

/** The parameters that the endpoint knows. One that is sent twice has no single value. */
function queryOf(context: RequestContext & WithRoute, faults: Faults): Record<string, string> {
  const names = new Set(namesIn(context.route.endpoint.query))
  const query: Record<string, string> = {}
  for (const [name, values = []] of Object.entries(parametersOf(context))) {
    if (!names.has(name)) continue
    if (values.length > 1) addFault(faults, name, 'Must be given once.')
    query[name] = values[0] ?? ''
  }
  return query
}

/** The body is read as JSON whatever its Content-Type is. */
function bodyOf({ event, route }: RequestContext & WithRoute, faults: Faults): object | undefined {
  if (!event.body && isBodyOptional(route.endpoint)) return {}
  try {
    const body: unknown = JSON.parse(event.body ?? '')
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
    addFault(faults, 'body', 'Must be a JSON object.')
  } catch {
    addFault(faults, 'body', 'Must be JSON.')
  }
  return undefined
}
