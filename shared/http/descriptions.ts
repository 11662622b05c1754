// Descriptions of members and parameters, for the document alone. In the contracts they would cost each cold
// start up to 70 more schemas (535, of 500 allowed by test/shape/bundles.test.ts).
import type * as z from 'zod/mini'
import { type Endpoint, LARGEST_NUMBER } from './endpoint.ts'

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

/** `ticket` of `/me/tickets/{id}`. */
function recordBefore(name: string, path: string): string {
  const plural = path.split('/').find((_, n, parts) => parts[n + 1] === `{${name}}`) ?? ''
  return plural.endsWith('ies') ? `${plural.slice(0, -3)}y` : plural.replace(/s$/, '')
}

/** The default and the maximum of `per_page`, which is a maximum and not an error. */
function pageSizes({ query }: Endpoint): [usual: unknown, most: unknown] {
  const { per_page: schema }: { per_page?: z.ZodMiniType } =
    'shape' in query.def ? Object(query.def.shape) : {}
  return [schema?.parse(undefined), schema?.parse(String(LARGEST_NUMBER))]
}

/** Of `cursor.next`, wherever it is. */
export const CURSOR_TEXT = `Continues the list after the last item of this answer. Null at its end. Opaque, and only for the
  same endpoint with the same filters.`

const IN_PATH = {
  id: ({ path }: Endpoint) => `Id of the ${recordBefore('id', path)}.`,
  slug: ({ path }: Endpoint) => `Slug of the ${recordBefore('slug', path)}, percent-encoded.`,
}
const IN_QUERY = {
  page: () => 'Page number, from 1. A page after the last one is empty.',
  per_page: (endpoint: Endpoint) => {
    const [usual, most] = pageSizes(endpoint)
    return `Items per page, ${usual} by default. More than ${most} counts as ${most}.`
  },
  limit: () => 'Items per answer, 1 to 100.',
  after: ({ isPaginated }: Endpoint) =>
    `A \`cursor.next\` of this list with the same filters: the items after those of that answer.${isPaginated ? ' Not together with `page`.' : ''}`,
}
const COMMON: Record<'path' | 'query', Readonly<Record<string, (endpoint: Endpoint) => string>>> = {
  path: IN_PATH,
  query: IN_QUERY,
}
export type CommonInPath = keyof typeof IN_PATH
export type CommonInQuery = keyof typeof IN_QUERY

/** The text of a parameter that many endpoints have, unless the guide of its group has another. */
export function commonText(place: 'path' | 'query', name: string, endpoint: Endpoint): string | undefined {
  return COMMON[place][name]?.(endpoint)
}
