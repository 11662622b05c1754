// What every request body is declared with: bounds that hold before any work is done on what came.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { WITH_BODY } from '../world/valid-bodies.ts'

type SchemaWithin = { schema: z.ZodMiniType; path: string; holder: z.ZodMiniType | undefined }

function isSchema(value: unknown): value is z.ZodMiniType {
  return value instanceof z.ZodMiniType
}

/** All schemas within one, each with the one around it; a tree that contains itself is walked once. */
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
    ...Object.entries(Object(shape)).map(([name, one]): [string, unknown] => [`${path}.${name}`, one]),
    ...Object.values(Object(options)).map((one): [string, unknown] => [path, one]),
    ...Object.values(parts).map((one): [string, unknown] => [path, one]),
  ]
  const within = members.flatMap(([name, one]) => (isSchema(one) ? schemasIn(one, name, schema, seen) : []))
  return [{ schema, path, holder }, ...within]
}

function isCounted(holder: z.ZodMiniType | undefined): boolean {
  return holder instanceof z.ZodMiniPipe && holder.def.in instanceof z.ZodMiniTransform
}

describe.each(WITH_BODY)('$name', ({ endpoint }) => {
  it('counts each of its arrays before it validates their members', () => {
    const arrays = schemasIn(endpoint.body ?? z.object({})).filter(
      ({ schema }) => schema instanceof z.ZodMiniArray,
    )
    const uncounted = arrays.filter(({ holder }) => !isCounted(holder)).map(({ path }) => path)
    expect(uncounted, 'Declare it with arrayOf of shared/http/array.ts, not with z.array.').toEqual([])
  })
})

describe('the walk through the bodies', () => {
  it('finds the arrays', () => {
    const found = WITH_BODY.flatMap(({ endpoint }) => schemasIn(endpoint.body ?? z.object({})))
    expect(found.filter(({ schema }) => schema instanceof z.ZodMiniArray).length).toBeGreaterThan(9)
  })
})
