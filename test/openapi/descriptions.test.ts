// The texts of the document: every member and every parameter has a description.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { members, optional } from '../../shared/http/members.ts'
import { apiDocument } from '../../shared/openapi/document.ts'
import { openSchemas } from '../../shared/openapi/schemas.ts'

const document: unknown = JSON.parse(JSON.stringify(apiDocument('1.0.0')))

type ObjectAt = { path: string; value: object; key: string }

/** All objects of the document with their paths, except those in examples. */
function objectsIn(value: unknown, path = ''): ObjectAt[] {
  if (typeof value !== 'object' || value === null) return []
  const within = Object.entries(value).filter(([key]) => key !== 'example' && key !== 'examples')
  return [
    { path, value, key: path.split('/').at(-1) ?? '' },
    ...within.flatMap(([key, member]) => objectsIn(member, `${path}/${key.replaceAll('/', '|')}`)),
  ]
}

const all = objectsIn(document)
const DescribedValue = z.union([
  z.object({ description: z.string().check(z.regex(/^\S[\s\S]*[.)…]$/)) }),
  z.object({ $ref: z.string().check(z.regex(/^#\/components\/(parameters|headers)\//)) }),
])

function isDescribed(value: unknown): boolean {
  return DescribedValue.safeParse(value).success
}

/** Without members named `properties`. */
const MEMBERS = all.filter(
  ({ path, key }) => key === 'properties' && !path.endsWith('/properties/properties'),
)
const LISTS = all.filter(({ key }) => key === 'parameters')
/** Without members named `headers`. */
const HEADERS = all.filter(({ path, key }) => key === 'headers' && !path.endsWith('/properties/headers'))

function undescribed(holders: ObjectAt[]): string[] {
  return holders.flatMap(({ path, value }) =>
    Object.entries(value)
      .filter(([, member]) => !isDescribed(member))
      .map(([name]) => `${path}/${name}`),
  )
}

describe('the document', () => {
  it('describes every member of every request, answer and event in a sentence', () => {
    expect(MEMBERS.length).toBeGreaterThan(100)
    expect(undescribed(MEMBERS)).toEqual([])
  })

  it('describes every parameter and every header in a sentence', () => {
    expect(LISTS.length).toBeGreaterThan(80)
    expect(undescribed([...LISTS, ...HEADERS])).toEqual([])
  })

  it('has no descriptions with the line breaks or the indentation of the source', () => {
    const texts = all.flatMap(({ path, value }) =>
      Object.entries(value).map(([key, text]) => ({ path, key, text })),
    )
    const descriptions = texts.filter(({ key }) => key === 'description')
    const broken = descriptions.filter(({ text }) => /\n +|[^\n]\n(?![\n-])|\t/.test(text))
    expect(broken.map(({ path }) => path)).toEqual([])
  })

  it('has summaries that begin with a capital and end without a full stop', () => {
    const Operation = z.object({ operationId: z.string(), summary: z.string() })
    const operations = all.flatMap(({ path, value }) =>
      path.startsWith('/paths') ? (Operation.safeParse(value).data ?? []) : [],
    )
    expect(operations.length).toBeGreaterThan(70)
    const wrong = operations.filter(({ summary }) => !/^[A-Z][a-z]+ .*[^.]$|^Log out$/.test(summary))
    expect(wrong).toEqual([])
  })
})

const NAMED = { name: [z.string(), 'A name.', 'Ada'] } as const

describe('members', () => {
  const Person = members(NAMED)
  const name = JSON.stringify({ name: { type: 'string', description: 'A name.', examples: ['Ada'] } })

  it.each([
    ['a schema', Person],
    ['a schema that is checked further', Person.check(z.refine(() => true))],
    ['a schema within wrappers', z.object({ one: z.optional(z.nullable(Person)) })],
    ['a list that is shared', members({ id: [z.int(), 'Numeric id.'], ...NAMED })],
  ])('show the texts and examples of %s', (_, schema) => {
    expect(JSON.stringify(openSchemas().of(schema, 'data'))).toContain(name.slice(1, -1))
  })

  it('that may be left out keep their texts, with when one is there', () => {
    const schema = members(optional(NAMED, 'Only for friends.'))
    expect(openSchemas().of(schema, 'data')).toEqual({
      type: 'object',
      properties: { name: { type: 'string', description: 'A name. Only for friends.', examples: ['Ada'] } },
    })
  })

  it('do not compile without a text, or with an example of another type', () => {
    // @ts-expect-error: the name has no text.
    members({ name: [z.string()] })
    // @ts-expect-error: a number is no name.
    members({ name: [z.string(), 'A name.', 1] })
  })
})
