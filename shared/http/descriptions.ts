// Descriptions of the members of schemas, for the API's document. Every function bundles its contract, and there
// they would cost 2 kB and up to 70 schemas a function (535 of a budget of 500), so only the document imports them.
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
