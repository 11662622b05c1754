// Names of members and parameters that an endpoint does not know. They are ignored; `X-Ignored` lists them.
import type * as z from 'zod/mini'
import type { Endpoint } from '../http/endpoint.ts'

const MAX_NAMES = 10
const LONGEST_NAME = 60
/** Enough for a menu of 200 items with four members each, and a bound for a hostile body. */
const MAX_VALUES = 2_000
const NON_TOKEN = /[^A-Za-z0-9!#$%&'*+.^_`|~-]/g

/** `values`: how many have been visited. */
type UnknownNames = { names: Set<string>; values: number }

/** Parameters first, then members of the body by their path, as in `errors.fields`. */
export function ignoredNames(endpoint: Endpoint, parameters: object, body: unknown): string[] {
  const found: UnknownNames = { names: new Set(), values: 0 }
  collectUnknown(endpoint.query, parameters, '', found)
  if (endpoint.body) collectUnknown(endpoint.body, body, '', found)
  return [...found.names]
}

/** The value of the header: short, and only token characters. */
export function ignoredHeader(names: string[]): string {
  return names.map(name => name.slice(0, LONGEST_NAME).replace(NON_TOKEN, '_')).join(', ')
}

function collectUnknown(schema: z.ZodMiniType, value: unknown, path: string, found: UnknownNames): void {
  if (typeof value !== 'object' || value === null || found.values++ > MAX_VALUES) return
  const { shape, catchall, element } = structureOf(schema)
  if (Array.isArray(value) && element) {
    for (const [n, member] of value.slice(0, MAX_VALUES).entries()) {
      collectUnknown(element, member, `${path}${n}.`, found)
    }
  }
  // A schema with a catchall reports unknown members as faults.
  if (!shape || catchall || Array.isArray(value)) return
  for (const name of Object.keys(value)) {
    if (found.names.size >= MAX_NAMES) return
    const memberSchema = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (memberSchema) {
      collectUnknown(memberSchema, Reflect.get(value, name), `${path}${name}.`, found)
    } else {
      found.names.add(`${path}${name}`)
    }
  }
}

type SchemaStructure = {
  shape?: Record<string, z.ZodMiniType>
  catchall?: z.ZodMiniType
  element?: z.ZodMiniType
}
type WrappingSchema = { innerType?: z.ZodMiniType; in?: z.ZodMiniType; out?: z.ZodMiniType }

/** The structure of a schema inside its wrappers: optional, nullable, default, transforms. */
function structureOf({ def }: z.ZodMiniType): SchemaStructure {
  const { innerType, in: from, out: to }: WrappingSchema = Object(def)
  const within = innerType ?? (from?.def.type === 'transform' ? to : from)
  return within ? structureOf(within) : Object(def)
}
