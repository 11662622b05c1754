// Descriptions of the members of schemas, for the document alone. In the contracts, which every function bundles,
// they would cost up to 2 kB and 70 schemas each: 535 of the budget of 500 in test/shape/bundles.test.ts.
import type * as z from 'zod/mini'

/** Markdown, alone or with values as examples. */
export type Text<Value = unknown> = string | readonly [description: string, ...examples: Value[]]

type Texts<Input, Output> = {
  readonly [Name in keyof Output]-?: Text<Output[Name] | (Name extends keyof Input ? Input[Name] : never)>
}

export type Description = { schema: z.ZodMiniType; texts: Readonly<Record<string, Text>> }

/** The texts of all members of an object; a missing or an unknown member does not compile. */
export function describes<Schema extends z.ZodMiniType>(
  schema: Schema,
  texts: Texts<z.input<Schema>, z.output<Schema>>,
): Description {
  return { schema, texts: { ...texts } }
}

/** The parameters of every paginated list, of which only the largest page differs. */
export function pageTexts(perPage = 12, maxPerPage = 100) {
  return {
    page: 'Page number, from 1. A page after the last one is empty.',
    per_page: `Items per page, ${perPage} by default. More than ${maxPerPage} counts as ${maxPerPage}.`,
  } as const
}
