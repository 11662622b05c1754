// The names of members and parameters that an endpoint does not know: it ignores them, and the answer says so.
import type * as z from 'zod/mini'
import type { Endpoint } from '../http/endpoint.ts'

const MOST_NAMES = 10
const LONGEST_NAME = 60
/** A menu has 200 items of four members; a hostile body is not walked to its end. */
const MOST_VALUES = 2_000
const NO_TOKEN = /[^A-Za-z0-9!#$%&'*+.^_`|~-]/g

type Found = { names: Set<string>; values: number }

/** Of a request, parameters first; members of members with their path, as in `errors.fields`. */
export function ignoredNames({ query, body }: Endpoint, parameters: object, given: unknown): string[] {
  const found: Found = { names: new Set(), values: 0 }
  look(query, parameters, '', found)
  if (body) look(body, given, '', found)
  return [...found.names]
}

/** As a header: ASCII and short, whatever the names are. */
export function ignoredHeader(names: string[]): string {
  return names.map(name => name.slice(0, LONGEST_NAME).replace(NO_TOKEN, '_')).join(', ')
}

function look(schema: z.ZodMiniType, value: unknown, path: string, found: Found): void {
  if (typeof value !== 'object' || value === null || found.values++ > MOST_VALUES) return
  const { shape, catchall, element } = structureOf(schema)
  if (Array.isArray(value) && element) {
    for (const [n, member] of value.slice(0, MOST_VALUES).entries()) {
      look(element, member, `${path}${n}.`, found)
    }
  }
  // With a catchall, what is not known is a fault.
  if (!shape || catchall || Array.isArray(value)) return
  for (const name of Object.keys(value)) {
    if (found.names.size >= MOST_NAMES) return
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (known) {
      look(known, Reflect.get(value, name), `${path}${name}.`, found)
    } else {
      found.names.add(`${path}${name}`)
    }
  }
}

type Structure = {
  shape?: Record<string, z.ZodMiniType>
  catchall?: z.ZodMiniType
  element?: z.ZodMiniType
}
type Wrapped = { innerType?: z.ZodMiniType; in?: z.ZodMiniType; out?: z.ZodMiniType }

/** What a schema takes, without what is around it: optional, nullable, default, transforms. */
function structureOf({ def }: z.ZodMiniType): Structure {
  const { innerType, in: from, out: to }: Wrapped = Object(def)
  const within = innerType ?? (from?.def.type === 'transform' ? to : from)
  return within ? structureOf(within) : Object(def)
}
