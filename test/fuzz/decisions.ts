// The findings of schemathesis that are expected, each with its reason.
import type { Finding } from './report.ts'

type Decision = { reason: string; is: (finding: Finding) => boolean }

/** Rules that a field's schema cannot express: they depend on other fields, on records or on the clock. */
const OUTSIDE_THE_SCHEMA: [field: RegExp, message: RegExp][] = [
  [/^slug$/, /taken/],
  [/^general\.timezone$/, /time zone/],
  [/^email$/, /taken|account|registered/],
  [/^(author_id|category_ids\.\d+)$/, /^Does not exist\.$/],
  [
    /^parent_id$/,
    /^(Must be an approved comment of this post|Is already \d levels deep\. Reply to a comment above it)\.$/,
  ],
  [/^token$/, /^Is wrong(, used or expired| or expired: ask for a new mail)\.$/],
  [/^password_confirmation$/, /^Must be the same as the password\.$/],
  [/^post_id$/, /^Is required, or post_slug is\.$/],
  [/^until$/, /future/],
  [/^id$/, /^Must not be your own id: you cannot ban yourself\.$/],
  [/^status$/, /^The ticket is closed\. Reopen it first\.$/],
  [/^status$/, /^Only a resolved or closed ticket can be reopened\.$/],
  [/^(tokens|webhooks)$/, /^Must be at most \d+: delete one first\.$/],
  [/^replies$/, /^The ticket is full\. Open a new ticket\.$/],
  [/^url$/, /private or local address/],
  [/^is_active$/, /^The subscription is paused\. Resume it first\.$/],
  [/^(after|since)$/, /^Must be a cursor that this list has answered with, for the same filters\.$/],
  [/^(after|order)$/, /^Must not be given together with `(page|q)`/],
  [/^headers$/, /^Must (not )?(have|be at most 4 kB)\b/],
  [/^body$/, /^Must (be JSON of at most 8 kB|have \{\{payload\}\} at most once)\.$/],
  [/^max_wait_seconds$/, /quiet_seconds/],
  [/^operations\.\d+\.path$/, /^Must be a path that, with this method, writes/],
  [/^operations\.\d+\.body$/, /^Must not be nested so deep\.$/],
  [/children$|^items$/, /^Must be at most (5 deep|200 items in all)\.$/],
]

function isOutsideTheSchema({ fields }: Finding): boolean {
  const faults = Object.entries(fields)
  const isKnown = (field: string, message: string) =>
    OUTSIDE_THE_SCHEMA.some(([name, text]) => name.test(field) && text.test(message))
  return (
    faults.length > 0 && faults.every(([field, messages]) => messages.every(text => isKnown(field, text)))
  )
}

function unescaped(json: string): string {
  return json.replace(/\\u([\da-f]{4})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)))
}

const DECISIONS: Decision[] = [
  {
    reason: 'Schemathesis takes a pattern for marks as whole Unicode blocks, with unassigned code points.',
    is: ({ check, status, fields, request }) =>
      check === 'positive_data_acceptance' &&
      status === 422 &&
      Object.keys(fields).join() === 'slug' &&
      /\p{Cn}/u.test(unescaped(request)),
  },
  {
    reason: 'A test ping is a 502 if its receiver does not answer, as the document says.',
    is: ({ check, operation, code }) =>
      check === 'not_a_server_error' &&
      operation === 'POST /api/v1/admin/webhooks/{id}/test' &&
      code === 'DELIVERY_FAILED',
  },
  {
    reason: 'A method that a path does not have is a 404, as the document says.',
    is: ({ check, status }) => check === 'unsupported_method' && status === 404,
  },
  {
    reason: 'Whether If-Match matches depends on the record.',
    is: ({ check, status }) => check === 'positive_data_acceptance' && status === 412,
  },
  {
    reason: 'The rule depends on other fields, on records or on the clock, which a schema does not know.',
    is: finding =>
      finding.check === 'positive_data_acceptance' && finding.status === 422 && isOutsideTheSchema(finding),
  },
]

export function decisionOn(finding: Finding): string | undefined {
  return DECISIONS.find(({ is }) => is(finding))?.reason
}
