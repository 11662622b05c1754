// The schemas of the declarations as JSON Schema: those with a name once, under components.
import * as z from 'zod/mini'

export type Json = Record<string, unknown>

/** What comes in tells what may be left out, what goes out tells what is there. */
export type Role = 'parameters' | 'body' | 'data'

export type Schemas = {
  /** Where it stands: a reference for a schema that `.meta({ id })` names, else the schema itself. */
  of(schema: z.ZodMiniType, role: Role): Json
  /** The same, and an object that has members but no name gets this one. */
  named(schema: z.ZodMiniType, role: Role, name: string): Json
  /** All that have a name, by it. */
  components: Record<string, Json>
}

export function openSchemas(): Schemas {
  const components: Record<string, Json> = {}

  const add = (name: string, schema: Json): Json => {
    const isOther = name in components && JSON.stringify(components[name]) !== JSON.stringify(schema)
    if (isOther) throw new Error(`Two schemas are called ${name}: give one of them another id.`)
    if (name.startsWith('__')) {
      throw new Error(`A schema that contains itself needs a name, .meta({ id }): ${JSON.stringify(schema)}`)
    }
    components[name] = schema
    return { $ref: `#/components/schemas/${name}` }
  }

  const of = (schema: z.ZodMiniType, role: Role): Json => {
    const { $schema: _, $defs = {}, ...json } = jsonSchemaOf(schema, role)
    for (const [name, each] of Object.entries(Object($defs))) add(name, Object(each))
    return json
  }

  const named = (schema: z.ZodMiniType, role: Role, name: string): Json => {
    const json = of(schema, role)
    const hasMembers = json.type === 'object' && Object.keys(Object(json.properties)).length > 0
    return hasMembers ? add(name, json) : json
  }
  return { of, named, components }
}

function jsonSchemaOf(schema: z.ZodMiniType, role: Role): Json {
  const io = role === 'data' ? 'output' : 'input'
  const json = z.toJSONSchema(schema, {
    io,
    // What a transform gives is told by its .meta(); a test finds those that say nothing.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'default') setDefault(jsonSchema, role, zodSchema._zod.def.defaultValue)
      if (jsonSchema.type === 'integer') asInt64(jsonSchema, io)
      // Within a version answers may get more members: clients must not refuse them.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

/**
 * Zod leaves it away where the value is transformed afterwards. In a body it would do harm: generators of types
 * take a member with a default for one that is always there.
 */
function setDefault(schema: z.core.JSONSchema.BaseSchema, role: Role, value: unknown): void {
  if (role === 'body') {
    delete schema.default
  } else {
    Object.assign(schema, { default: value })
  }
}

/** Bounds that only say what a double can hold tell a client nothing, but for the largest number that it may send. */
function asInt64(schema: z.core.JSONSchema.BaseSchema, io: 'input' | 'output'): void {
  schema.format = 'int64'
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (io === 'output' && schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}
