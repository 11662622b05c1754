// Converts the schemas of declarations to JSON Schema. A schema with a name appears once, under components.
import * as z from 'zod/mini'
import { type Member, membersOf } from '../http/members.ts'

export type Json = Record<string, unknown>

/** Input schemas show which members are optional, output schemas which members are always present. */
export type Role = 'parameters' | 'body' | 'data'

export type Schemas = {
  /** A reference if `.meta({ id })` names the schema, else the schema itself. */
  of(schema: z.ZodMiniType, role: Role): Json
  /** Like `of`, but gives this name to an object with members that has no name. */
  named(schema: z.ZodMiniType, role: Role, name: string): Json
  /** All named schemas by name. */
  components: Record<string, Json>
}

export function openSchemas(): Schemas {
  const components: Record<string, Json> = {}

  const add = (name: string, schema: Json): Json => {
    const isOther = name in components && JSON.stringify(components[name]) !== JSON.stringify(schema)
    if (isOther) throw new Error(`Two schemas have the name ${name}. Give one of them another id.`)
    if (name.startsWith('__')) {
      throw new Error(`A schema that contains itself needs a name, .meta({ id }): ${JSON.stringify(schema)}`)
    }
    components[name] = schema
    return { $ref: `#/components/schemas/${name}` }
  }

  const of = (schema: z.ZodMiniType, role: Role): Json => {
    const { $schema: _, $defs = {}, ...json } = jsonSchemaOf(schema, role)
    for (const [name, schema] of Object.entries(Object($defs))) add(name, Object(schema))
    return json
  }

  const named = (schema: z.ZodMiniType, role: Role, name: string): Json => {
    const json = of(schema, role)
    const hasMembers = json.type === 'object' && Object.keys(Object(json.properties)).length > 0
    return hasMembers ? add(name, json) : json
  }

  return { of, named, components }
}

/** Marks an object whose members have texts, until the references between schemas are final. */
const TEXTS = 'x-texts'

function jsonSchemaOf(schema: z.ZodMiniType, role: Role): Json {
  const io = role === 'data' ? 'output' : 'input'
  const json = z.toJSONSchema(schema, {
    io,
    // The output of a transform is described by its .meta(); a test fails if that is missing.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'default') setDefault(jsonSchema, role, zodSchema._zod.def.defaultValue)
      if (jsonSchema.type === 'integer') asInt64(jsonSchema, io)
      // Answers may get more members within a version, so clients must accept them.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      // A wrapper, such as z.optional, already has the texts of the schema within.
      const members = membersOf(zodSchema)
      if (members) Object.assign(jsonSchema, { [TEXTS]: textsIn(members) })
    },
  })
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'), describeMembers)
}

/** For JSON.parse: moves the texts of an object to its members. */
function describeMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(TEXTS in value)) return value
  const { [TEXTS]: texts, properties, ...rest }: Json = { ...value }
  const members = Object.entries(Object(properties)).map(([name, member]) => [
    name,
    { ...Object(member), ...Object(texts)[name] },
  ])
  return { ...rest, properties: Object.fromEntries(members) }
}

function textsIn(members: Readonly<Record<string, Member>>): Json {
  return Object.fromEntries(
    Object.entries(members).map(([name, [_, description, ...examples]]) => [
      name,
      { description, ...(examples.length > 0 && { examples }) },
    ]),
  )
}

/**
 * Zod omits the default of a transformed value. A body gets no defaults, because generators of types would
 * make such members required.
 */
function setDefault(schema: z.core.JSONSchema.BaseSchema, role: Role, value: unknown): void {
  if (role === 'body') {
    delete schema.default
  } else {
    Object.assign(schema, { default: value })
  }
}

/** Removes bounds that only state the range of a double, except the largest number that a client may send. */
function asInt64(schema: z.core.JSONSchema.BaseSchema, io: 'input' | 'output'): void {
  schema.format = 'int64'
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (io === 'output' && schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}
