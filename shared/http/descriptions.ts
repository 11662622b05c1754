// Descriptions of schema members, for the document alone. In the contracts they would be in each function's
// bundle and cost its cold start up to 70 more schemas (535, of 500 allowed by test/shape/bundles.test.ts).
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
