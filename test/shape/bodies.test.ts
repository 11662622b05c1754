// Checks that every request body declares limits that are checked before any other work on it.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { fullBodyOf, WITH_BODY } from '../support/valid-bodies.ts'

type SchemaWithin = { schema: z.ZodMiniType; path: string; holder: z.ZodMiniType | undefined }

function isSchema(value: unknown): value is z.ZodMiniType {
  return value instanceof z.ZodMiniType
}

/** All nested schemas, each with the schema around it. A recursive schema is visited once. */
function schemasIn(
  schema: z.ZodMiniType,
  path = '',
  holder?: z.ZodMiniType,
  seen = new Set<z.ZodMiniType>(),
): SchemaWithin[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const { shape, options, ...parts } = Object(schema.def)
  const members: [string, unknown][] = [
    ...Object.entries(Object(shape)).map(([name, member]): [string, unknown] => [`${path}.${name}`, member]),
    ...Object.values(Object(options)).map((member): [string, unknown] => [path, member]),
    ...Object.values(parts).map((member): [string, unknown] => [path, member]),
  ]
  const within = members.flatMap(([name, member]) =>
    isSchema(member) ? schemasIn(member, name, schema, seen) : [],
  )
  return [{ schema, path, holder }, ...within]
}

function isCounted(holder: z.ZodMiniType | undefined): boolean {
  return holder instanceof z.ZodMiniPipe && holder.def.in instanceof z.ZodMiniTransform
}

describe.each(WITH_BODY)('$name', ({ endpoint }) => {
  it('counts the items of each array before it validates them', () => {
    const arrays = schemasIn(endpoint.body ?? z.object({})).filter(
      ({ schema }) => schema instanceof z.ZodMiniArray,
    )
    const uncounted = arrays.filter(({ holder }) => !isCounted(holder)).map(({ path }) => path)
    expect(uncounted, 'Declare it with arrayOf of shared/http/members.ts instead of z.array.').toEqual([])
  })

  it('accepts the body with all members that the tests change one by one', () => {
    expect(endpoint.body?.safeParse(fullBodyOf(endpoint)).error?.issues ?? []).toEqual([])
  })
})
