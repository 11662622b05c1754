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

// @__NO_SIDE_EFFECTS__
export function shapeOf<S extends Shape>(list: Members<S>): S {
  const all: [string, Member][] = Object.entries(list)
  // The entries of a list are those of its shape.
  return Object.fromEntries(all.map(([name, [schema]]) => [name, schema])) as S
}

/**
 * An object with these members. Objects that share members spread one list of them: a `shape` has no texts.
 */
// @__NO_SIDE_EFFECTS__
export function members<S extends Shape>(list: Members<S>, error?: string) {
  return noted(z.object(shapeOf(list), error), list)
}

/** An object that has no others. */
// @__NO_SIDE_EFFECTS__
export function strictMembers<S extends Shape>(list: Members<S>) {
  return noted(z.strictObject(shapeOf(list)), list)
}

function noted<Schema extends z.ZodMiniObject>(schema: Schema, list: Members<Shape>): Schema {
  MEMBERS.set(schema, list)
  return schema
}

/** The same members, each of which may be left out. `when` says when one is there. */
// @__NO_SIDE_EFFECTS__
export function optional<S extends Shape>(list: Members<S>, when = '') {
  const all: [string, Member][] = Object.entries(list)
  const optionals = all.map(([name, [schema, text, ...examples]]) => [
    name,
    [z.optional(schema), `${text} ${when}`.trim(), ...examples],
  ])
  return Object.fromEntries(optionals) as { readonly [Name in keyof S]: Member<z.ZodMiniOptional<S[Name]>> }
}

/** The members of an object with their texts, also of one that was checked further. */
export function membersOf(schema: z.core.$ZodType): Readonly<Record<string, Member>> | undefined {
  const { parent } = schema._zod
  return MEMBERS.get(schema) ?? (parent && membersOf(parent))
}
