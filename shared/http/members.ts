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

/** Larger than limits on distinct members, because duplicates are folded later. */
const MAX_GIVEN = 1_000

type Bounds = {
  /** The message for a value that is not an array. */
  not: string
  /** The message for an empty array; without it, an empty array is valid. */
  empty?: string
  max?: number
  /** The message for an array that is too long. */
  tooLong?: string
  /** Counts the members. For trees, counts the members of members too. */
  count?: (members: unknown[]) => number
}

/** An array of at most `max` members. */
export function arrayOf<Item extends z.ZodMiniType>(
  item: Item,
  { not, empty, max = MAX_GIVEN, tooLong = `Must have at most ${max} members.`, count = sizeOf }: Bounds,
) {
  return z
    .pipe(
      z.transform((value: unknown, context) => {
        if (Array.isArray(value) && count(value) > max) {
          context.issues.push({ code: 'custom', input: value, message: tooLong })
        }
        return value
      }),
      empty === undefined ? z.array(item, not) : z.array(item, not).check(z.minLength(1, empty)),
    )
    .check(z.meta({ maxItems: max }))
}

/** Removes duplicates. */
export function unique<Member>() {
  return z.overwrite<Member[]>(members => [...new Set(members)])
}

function sizeOf(members: unknown[]): number {
  return members.length
}

/** Those of the words that this version knows: a newer one may have stored others. */
export function knownOf<Word extends string>(known: readonly Word[], words: readonly string[]): Word[] {
  return words.flatMap(word => known.find(candidate => candidate === word) ?? [])
}
