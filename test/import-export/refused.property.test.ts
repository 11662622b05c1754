// What the JSON schema of the own format allows and the API refuses is wrong, and never comes in.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod/mini'
import { ExportRecord } from '../../infra/operator/import-export/format.ts'
import { ProfileChange, Registration } from '../../shared/accounts/fields.ts'
import { CategoryInput } from '../../shared/categories/contract.ts'
import { GuestComment } from '../../shared/comments/contract.ts'
import { SubmissionInput } from '../../shared/contact/contract.ts'
import { EmailInput } from '../../shared/newsletter/contract.ts'
import { PostInput } from '../../shared/posts/fields.ts'
import { MenuInput } from '../../shared/site/menu.ts'
import { ReplyInput, TicketInput } from '../../shared/tickets/contract.ts'
import { WebhookInput } from '../../shared/webhooks/inputs.ts'
import { type Line, lineOf, smallExport } from './small-export.ts'

const HOSTILE = [
  'javascript:alert(1)',
  'data:text/html,x',
  'https://user:pass@example.com/',
  'https://example.com/\u001b[2J',
  'a\r\nb',
  '\u001b[31m',
  '\u0000',
  '\ud800',
  ' ',
  '',
  'x'.repeat(300),
  'x'.repeat(6_000),
  '2021-02-30',
  '-',
  'a b',
  '<script>',
]

function takes(schema: z.ZodMiniType, input: Line): boolean {
  return schema.safeParse(input).success
}

/** Whether the API takes the members of such a record in its requests. */
const IS_ACCEPTED: Record<string, (record: Line) => boolean> = {
  category: record => takes(CategoryInput, record) && record.slug !== '',
  user: record => takes(ProfileChange, record) && takes(Registration, { ...record, password: 'a password' }),
  post: record => takes(PostInput, record),
  comment: record => {
    const { name, email }: Line = Object(record.guest)
    // A guest who was erased has no address.
    const author_email = email === '' ? 'erased@example.com' : email
    return takes(GuestComment, { ...record, author_name: name, author_email })
  },
  ticket: record => takes(TicketInput, record),
  reply: record => takes(ReplyInput, record),
  subscriber: record => takes(EmailInput, record),
  submission: record => takes(SubmissionInput, record),
  menu: record => takes(MenuInput, record),
  webhook: record => takes(WebhookInput, record),
  settings: () => true,
}

const RECORDS = smallExport(1).filter(({ type }) => type !== 'header' && type !== 'end')

/** Every text of a record, by its path. */
function textsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value === 'string') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, [...path, name]))
}

function withText(value: unknown, [name, ...path]: string[], text: unknown): unknown {
  if (name === undefined) return text
  const copy = Array.isArray(value) ? [...value] : { ...Object(value) }
  Reflect.set(copy, name, withText(Reflect.get(copy, name), path, text))
  return copy
}

describe('a record of the own format', () => {
  it('that the API would refuse is wrong', () => {
    const value = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary', maxLength: 400 }))
    const record = fc.constantFrom(...RECORDS)
    let refused = 0
    fc.assert(
      fc.property(record, fc.nat(), value, (record, n, text) => {
        const paths = textsIn(record).filter(([name]) => name !== 'type')
        const changed: Line = Object(withText(record, paths[n % paths.length] ?? [], text))
        if (!ExportRecord.safeParse(changed).success) {
          refused++
          return true
        }
        return IS_ACCEPTED[String(changed.type)]?.(changed) === true
      }),
      { numRuns: 3_000 },
    )
    expect(refused).toBeGreaterThan(500)
  })

  it('has a member for each that the API takes, as it stands in an export', () => {
    const refused = RECORDS.filter(record => !ExportRecord.safeParse(record).success)
    expect(refused).toEqual([])
  })

  it('with a body that is larger than a request is wrong', () => {
    const post = { ...lineOf(RECORDS, 'post'), body: 'x'.repeat(8_000_000) }
    expect(ExportRecord.safeParse(post).success).toBe(false)
  })
})
