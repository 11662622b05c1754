// Query and body through the endpoint's schemas: all faults of form in one answer.
import type { z } from 'zod'
import { type Fields, invalid } from '../http/errors.ts'
import { type Exchange, exchangeOf } from './exchange.ts'

/** An array of a million wrong members would make an answer that no function can give. */
const MOST_FAULTS = 1_000

export const decode = () => {
  const decodeBefore = ({ event }: { event: object }): void => {
    const exchange = exchangeOf(event)
    const { route, replay } = exchange
    if (!route || replay) return
    const faults: Fields = { ...exchange.faults }
    const query = parsed(route.endpoint.query, queryOf(exchange, faults), faults)
    const given = route.endpoint.body ? bodyOf(exchange, faults) : undefined
    const body = route.endpoint.body && given ? parsed(route.endpoint.body, given, faults) : undefined
    if (Object.keys(faults).length > 0) throw invalid(faults)
    exchange.input = { query, body }
  }
  return { before: decodeBefore }
}

const parsed = (schema: z.ZodType, value: unknown, faults: Fields): unknown => {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  for (const issue of result.error.issues.slice(0, MOST_FAULTS))
    for (const [field, message] of faultsOf(issue)) addFault(faults, field, message)
  return undefined
}

/** Where no other members are allowed, each that is there has a fault of its own. */
const faultsOf = (issue: z.core.$ZodIssue): [field: string, message: string][] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map(key => [[...issue.path, key].join('.'), 'Is not known.'])
    : [[issue.path.join('.'), issue.message]]

const addFault = (faults: Fields, field: string, message: string): void => {
  faults[field] = [...(faults[field] ?? []), message]
}

/** A parameter of the endpoint that stands twice has no one value. */
const queryOf = ({ event, route }: Exchange, faults: Fields): Record<string, string> => {
  const known = knownNames(route?.endpoint.query)
  const query: Record<string, string> = {}
  for (const [name, values = []] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    if (!known.has(name)) continue
    if (values.length > 1) addFault(faults, name, 'Must be given once.')
    else query[name] = values[0] ?? ''
  }
  return query
}

const knownNames = (schema: z.ZodType | undefined): Set<string> =>
  new Set(schema && 'shape' in schema.def ? Object.keys(Object(schema.def.shape)) : [])

/** A body is read as JSON whatever its Content-Type says. */
const bodyOf = ({ event }: Exchange, faults: Fields): object | undefined => {
  try {
    const body: unknown = JSON.parse(event.body ?? '')
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
    addFault(faults, 'body', 'Must be a JSON object.')
  } catch {
    addFault(faults, 'body', 'Must be JSON.')
  }
  return undefined
}
