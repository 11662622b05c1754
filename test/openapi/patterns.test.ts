// Texts that match a pattern of the document are accepted by the schema of their member.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { openSchemas, type Role } from '../../shared/openapi/schemas.ts'
import { ENDPOINTS, membersOf } from '../support/endpoints.ts'

const TextSchema = z.object({
  pattern: z.string(),
  minLength: z._default(z.int(), 0),
  maxLength: z._default(z.int(), 300),
})
type TextSchema = z.infer<typeof TextSchema>

function documentedOf(schema: z.ZodMiniType, role: Role): TextSchema[] {
  const json = Object(openSchemas().of(schema, role))
  const choices = [json, ...(json.anyOf ?? [])].flatMap(choice => [choice, ...(Object(choice).anyOf ?? [])])
  return choices.flatMap(choice => TextSchema.safeParse(choice).data ?? [])
}

const texts = ENDPOINTS.flatMap(({ name, endpoint }) => [
  ...membersOf(endpoint.body).map(([member, schema]) => ({ name, member, schema, role: 'body' as const })),
  ...membersOf(endpoint.query).map(([member, schema]) => ({
    name,
    member,
    schema,
    role: 'parameters' as const,
  })),
]).flatMap(text => documentedOf(text.schema, text.role).map(documented => ({ ...text, documented })))

/** fast-check supports no look-aheads, which only limit lengths here, and few Unicode classes. */
function textsFor({ pattern, minLength, maxLength }: TextSchema): fc.Arbitrary<string> {
  const plain = pattern
    .replace(/\(\?=[^)]*\)/, '')
    .replaceAll(/\\p\{([LNM])\}/g, (_, kind) => LETTERS[kind] ?? '')
  const regExp = new RegExp(pattern, 'u')
  return fc.stringMatching(new RegExp(plain, 'u'), { maxLength: 40 }).filter(text => {
    const { length } = Array.from(text)
    return length >= minLength && length <= maxLength && regExp.test(text)
  })
}

const LETTERS: Record<string, string> = { L: 'a-zäß東ก', N: '0-9٣', M: '\u0301\u0e31' }

const plain = z.object({
  type: z.literal('string'),
  pattern: z.optional(z.undefined()),
  enum: z.optional(z.undefined()),
})
const withoutPattern = ENDPOINTS.flatMap(({ name, endpoint }) =>
  membersOf(endpoint.body)
    .filter(([, schema]) => plain.safeParse(openSchemas().of(schema, 'body')).success)
    .map(([member, schema]) => ({ name, member, schema, json: openSchemas().of(schema, 'body') })),
)

describe('members without a pattern', () => {
  it('accept all characters, or have a format', () => {
    const rejecting = withoutPattern.filter(
      ({ schema, json }) => json.format !== 'date-time' && !schema.safeParse('\u0007 any text\n').success,
    )
    expect(rejecting.map(({ name, member }) => `${name} ${member}`)).toEqual([])
  })
})

describe('the patterns of the document', () => {
  it('cover one-line texts, slugs, addresses and URLs', () => {
    const patterns = new Set(texts.map(({ documented }) => documented.pattern))
    expect(patterns.size).toBeGreaterThanOrEqual(8)
  })
})

describe.each(texts)('$name $member', ({ schema, documented }) => {
  it('accepts texts that match its pattern', () => {
    fc.assert(
      fc.property(textsFor(documented), text => {
        const { success, error } = schema.safeParse(text)
        expect(error?.issues ?? [], JSON.stringify(text)).toEqual([])
        expect(success).toBe(true)
      }),
      { numRuns: 50 },
    )
  })
})
