// Objects whose members have texts, which the document shows: schema, text and examples stand together.
import * as z from 'zod/mini'

/** A member or a parameter: its schema, its text as Markdown, and values as examples. */
export type Member<Schema extends z.ZodMiniType = z.ZodMiniType> = readonly [
  schema: Schema,
  text: string,
  ...examples: (z.input<Schema> | z.output<Schema>)[],
]
type Shape = Readonly<Record<string, z.ZodMiniType>>
type Members<S extends Shape> = { readonly [Name in keyof S]: Member<S[Name]> }

/** Beside the schemas and not in them, because `z.meta` copies the schema that it describes. */
const MEMBERS = new WeakMap<z.core.$ZodType, Readonly<Record<string, Member>>>()

/** The schemas of a list, by name. */
export function shapeOf<S extends Shape>(list: Members<S>): S {
  const all: [string, Member][] = Object.entries(list)
  // The entries of a list are those of its shape.
  return Object.fromEntries(all.map(([name, [schema]]) => [name, schema])) as S
}

/** An object with these members. Objects that share members spread one list: a `shape` has no texts. */
export function members<S extends Shape>(list: Members<S>, error?: string) {
  return noted(z.object(shapeOf(list), error), list)
}

/** An object that has no others. */
export function strictMembers<S extends Shape>(list: Members<S>) {
  return noted(z.strictObject(shapeOf(list)), list)
}

/** The names of a list with one schema for all of them. */
export function shapeLike<S extends Shape, One>(list: Members<S>, schema: One) {
  const shape = Object.fromEntries(Object.keys(list).map(name => [name, schema]))
  return shape as { [Name in keyof S]: One }
}

function noted<Schema extends z.ZodMiniObject>(schema: Schema, list: Members<Shape>): Schema {
  MEMBERS.set(schema, list)
  return schema
}

/** The same members, each of which may be left out. `when` says when one is there. */
export function optional<S extends Shape>(list: Members<S>, when = '') {
  const all: [string, Member][] = Object.entries(list)
  const optionals = all.map(([name, [schema, text, ...examples]]) => [
    name,
    [z.optional(schema), `${text} ${when}`.trim(), ...examples],
  ])
  return Object.fromEntries(optionals) as { readonly [Name in keyof S]: Member<z.ZodMiniOptional<S[Name]>> }
}

/** Names a schema, as it is called among the components of the OpenAPI document. */
export function named<Schema extends z.ZodMiniType>(id: string, schema: Schema): Schema {
  z.globalRegistry.add<z.ZodMiniType>(schema, { id })
  return schema
}

/** The members of an object with their texts, also of one that was checked further. */
export function membersOf(schema: z.core.$ZodType): Readonly<Record<string, Member>> | undefined {
  const { parent } = schema._zod
  return MEMBERS.get(schema) ?? (parent && membersOf(parent))
}
