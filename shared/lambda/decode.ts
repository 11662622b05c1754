// Query and body through the endpoint's schemas: all faults of form in one answer.
import type * as z from 'zod/mini'
import { isBodyOptional, namesIn } from '../http/endpoint.ts'
import { type Fields, invalid } from '../http/errors.ts'
import '../http/zod-messages.ts'
import type { Environment } from '../runtime/environment.ts'
import { ignoredNames } from './ignored.ts'
import { contextOf, type RequestContext } from './request-context.ts'

/** Texts by field. A map, as a client may name a member `constructor`. */
type Faults = Map<string, string[]>

/** A list of a million wrong members would make an answer that no function can give. */
const MOST_FAULTS = 1_000

/** Faults of a body that hang on how the operator set up this stage. */
export type StageFaults = (body: object, environment: Environment) => Fields

export function decode(stageFaults: StageFaults) {
  const decodeBefore = ({ event }: { event: object }): void => {
    const exchange = contextOf(event)
    const { route, replay, runtime } = exchange
    if (!route) return
    if (replay) {
      exchange.ignored = ignoredNames(route.endpoint, parametersOf(exchange), bodyOf(exchange, new Map()))
      return
    }
    const faults: Faults = new Map(Object.entries(exchange.faults ?? {}))
    const query = parsed(route.endpoint.query, queryOf(exchange, faults), faults)
    const given = route.endpoint.body ? bodyOf(exchange, faults) : undefined
    exchange.ignored = ignoredNames(route.endpoint, parametersOf(exchange), given)
    const body = route.endpoint.body && given ? parsed(route.endpoint.body, given, faults) : undefined
    const ofStage = given && stageFaults(given, runtime.environment)
    for (const [field, [text = '']] of Object.entries(ofStage ?? {})) addFault(faults, field, text)
    if (faults.size > 0) throw invalid(Object.fromEntries(faults))
    exchange.input = { query, body }
  }
  return { before: decodeBefore }
}

function parsed(schema: z.ZodMiniType, value: unknown, faults: Faults): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const found = result.error.issues.slice(0, MOST_FAULTS).flatMap(faultsOf).slice(0, MOST_FAULTS)
  for (const [field, message] of found) addFault(faults, field, message)
  return undefined
}

/** Where no other members are allowed, each that is there has a fault of its own. */
function faultsOf(issue: z.core.$ZodIssue): [field: string, message: string][] {
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map(key => [[...issue.path, key].join('.'), 'Is not known.'])
    : [[issue.path.join('.'), issue.message]]
}

function addFault(faults: Faults, field: string, message: string): void {
  faults.set(field, [...(faults.get(field) ?? []), message])
}

function parametersOf({ event }: RequestContext): object {
  return event.multiValueQueryStringParameters ?? {}
}

/** A parameter of the endpoint that stands twice has no one value. */
function queryOf({ event, route }: RequestContext, faults: Faults): Record<string, string> {
  const known = new Set(route ? namesIn(route.endpoint.query) : [])
  const query: Record<string, string> = {}
  for (const [name, values = []] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    if (!known.has(name)) continue
    if (values.length > 1) addFault(faults, name, 'Must be given once.')
    query[name] = values[0] ?? ''
  }
  return query
}

/** A body is read as JSON whatever its Content-Type says. */
function bodyOf({ event, route }: RequestContext, faults: Faults): object | undefined {
  if (!event.body && route && isBodyOptional(route.endpoint)) return {}
  try {
    const body: unknown = JSON.parse(event.body ?? '')
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
    addFault(faults, 'body', 'Must be a JSON object.')
  } catch {
    addFault(faults, 'body', 'Must be JSON.')
  }
  return undefined
}
