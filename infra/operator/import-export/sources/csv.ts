// Subscribers of a newsletter, as spreadsheets and other services export them.
import { parse } from 'csv-parse/sync'
import { emailAddress, foldedEmail } from '../../../../shared/http/email.ts'
import { OperatorError } from '../../command.ts'
import { digestOf, NO_ID } from '../format.ts'
import { readText } from './files.ts'
import {
  type Entry,
  messageOf,
  type Source,
  type SourceOptions,
  type UnusableRecord,
  wrong,
} from './source.ts'
import { secondsOf } from './time.ts'

const EMAIL_COLUMN = /^(?:e-?mail|e-?mail[ _]address|address)$/i
const SINCE_COLUMN = /^(?:subscribed_at|created_at|optin_time|confirm_time|date added)$/i
const STATUS_COLUMN = /^(?:status|subscribed|subscribed_to_emails)$/i
const ENDED = /^(?:unsubscribed?|cleaned|bounced|complained|false|no|0)$/i
/** A spreadsheet takes these for the beginning of a formula, so exports put an apostrophe before them. */
const HARMLESS = /^'(?=\s*[=+\-@])/

const LARGEST_FILE = 100_000_000

/** Throws OperatorError if no column has addresses. */
export async function openCsv(file: string, options: SourceOptions): Promise<Source> {
  const { text, brokenAt } = await readText(file, LARGEST_FILE)
  if (brokenAt !== undefined) {
    throw new OperatorError(`${file} is not UTF-8 in line ${brokenAt}. Save it as UTF-8.`)
  }
  const rows = rowsOf(text, file)
  const [head = []] = rows
  const columnOf = (pattern: RegExp) => head.findIndex(cell => pattern.test(cell.trim()))
  const hasHead = columnOf(EMAIL_COLUMN) >= 0
  const columns = hasHead
    ? { email: columnOf(EMAIL_COLUMN), since: columnOf(SINCE_COLUMN), status: columnOf(STATUS_COLUMN) }
    : { email: head.findIndex(cell => emailAddress.safeParse(cell).success), since: -1, status: -1 }
  if (columns.email < 0) throw new OperatorError(`${file} has no column "email".`)
  const subscribers = rows.slice(hasHead ? 1 : 0).map(cells => {
    const cell = (column: number) => (cells[column] ?? '').replace(HARMLESS, '').trim()
    return { email: cell(columns.email), since: cell(columns.since), status: cell(columns.status) }
  })
  return {
    name: 'csv:subscribers',
    label: 'a table of subscribers',
    count: subscribers.length,
    entries: function* () {
      for (const [n, row] of subscribers.entries()) yield entryOf(row, n + 1, options)
    },
  }
}

function rowsOf(text: string, file: string): string[][] {
  const [line = ''] = text.split(/\r?\n/, 1)
  const delimiter = [',', ';', '\t'].toSorted((a, b) => line.split(b).length - line.split(a).length)[0]
  try {
    return parse(text, {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: 100_000,
    })
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${messageOf(error)}`)
  }
}

type Row = { email: string; since: string; status: string }

function entryOf(
  row: Row,
  id: number,
  { confirmed = false, nowSeconds }: SourceOptions,
): Entry | UnusableRecord {
  const { data: email, error } = emailAddress.safeParse(row.email)
  if (!email) {
    const label = `row ${id} (${row.email.slice(0, 100)})`
    return wrong('subscriber', label, `email: ${error?.issues[0]?.message}`)
  }
  const since = secondsOf(row.since) ?? nowSeconds
  const hasEnded = ENDED.test(row.status)
  const asksByMail = !confirmed && !hasEnded
  return {
    key: `subscriber:${foldedEmail(email)}`,
    record: {
      type: 'subscriber',
      id: NO_ID + id,
      email,
      status: hasEnded ? 'unsubscribed' : confirmed ? 'subscribed' : 'pending',
      subscribed_at: confirmed && !hasEnded ? since : null,
      unsubscribed_at: hasEnded ? nowSeconds : null,
      mailed_at: null,
      created_at: since,
    },
    notes: asksByMail ? ['Is asked by mail.'] : [],
    digest: digestOf(row),
    asksByMail,
  }
}
