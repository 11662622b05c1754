// The texts of the document: every member and every parameter has a description.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { EVENT_TEXTS } from '../../shared/events/catalogue.ts'
import type { EventTexts } from '../../shared/events/guide.ts'
import { describes } from '../../shared/http/descriptions.ts'
import { openSchemas } from '../../shared/openapi/schemas.ts'
import { apiDocument } from '../../shared/service/document.ts'

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
    const broken = texts.filter(
      ({ key, text }) => key === 'description' && /\n +|[^\n]\n(?![\n-])|\t/.test(text),
    )
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

describe('descriptions', () => {
  const Schema = z.object({ name: z.string() })

  it('are added to the members of a schema, even within wrappers', () => {
    const schemas = openSchemas([describes(Schema, { name: ['A name.', 'Ada'] })])
    const one = z.object({ one: z.optional(z.nullable(Schema)) })
    const name = { type: 'string', description: 'A name.', examples: ['Ada'] }
    expect(JSON.stringify(schemas.of(one, 'data'))).toContain(JSON.stringify({ name }))
  })

  it('throw for a member that the schema does not have', () => {
    const texts = { name: 'A name.', title: 'A title.' }
    const schemas = openSchemas([describes(Schema, texts)])
    expect(() => schemas.of(Schema, 'data')).toThrow(
      'Nothing has the members that these texts describe: title',
    )
  })

  it('are listed as unused if no endpoint has their schema', () => {
    const description = describes(Schema, { name: 'A name.' })
    expect(openSchemas([description]).unused()).toEqual([description])
  })

  it('do not compile with a missing or an unknown member', () => {
    // @ts-expect-error: the name has no description.
    describes(Schema, {})
    // @ts-expect-error: there is no title.
    describes(Schema, { name: 'A name.', title: 'A title.' })
  })

  it('of events do not compile with a missing or an unknown member', () => {
    const { contact } = EVENT_TEXTS
    // @ts-expect-error: the message of a test has no description.
    const missing: EventTexts['test'] = { members: {} }
    // @ts-expect-error: the event of a contact message has no title.
    const unknown: EventTexts['contact'] = { members: { ...contact?.members, title: 'A title.' } }
    expect([missing, unknown]).toHaveLength(2)
  })
})
