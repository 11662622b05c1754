// Subscribers of a newsletter, as spreadsheets and other services export them.
import { parse } from 'csv-parse/sync'
import { emailAddress, foldedEmail } from '../../../../shared/http/email.ts'
import { OperatorError } from '../../command.ts'
import type { RecordOf } from '../format.ts'
import { digestOf } from './foreign.ts'
import type { SourceOptions } from './open-source.ts'
import type { Entry, Source, Unusable } from './source.ts'
import { decode, readBytes } from './text-file.ts'
import { secondsOf } from './time.ts'

const EMAIL_COLUMN = /^(?:e-?mail|e-?mail[ _]address|address)$/i
const SINCE_COLUMN = /^(?:subscribed_at|created_at|optin_time|confirm_time|date added)$/i
const STATUS_COLUMN = /^(?:status|subscribed|subscribed_to_emails)$/i
const ENDED = /^(?:unsubscribed?|cleaned|bounced|complained|false|no|0)$/i
/** A spreadsheet takes these for the beginning of a formula, so exports put an apostrophe before them. */
const HARMLESS = /^'(?=\s*[=+\-@])/
const LARGEST_FILE = 100_000_000

/** Throws OperatorError if no column has addresses. */
export async function openCsv(file: string, { confirmed, nowSeconds }: SourceOptions): Promise<Source> {
  const { text, brokenAt } = decode(await readBytes(file, LARGEST_FILE), 'UTF-8')
  if (brokenAt !== undefined) {
    throw new OperatorError(`${file} is not UTF-8 in line ${brokenAt}. Save it as UTF-8.`)
  }
  const rows = rowsOf(text, file)
  const [head = []] = rows
  const columnOf = (pattern: RegExp) => head.findIndex(cell => pattern.test(cell.trim()))
  const email = columnOf(EMAIL_COLUMN)
  const hasHead = email >= 0
  const columns = {
    email: hasHead ? email : head.findIndex(cell => emailAddress.safeParse(cell).success),
    since: hasHead ? columnOf(SINCE_COLUMN) : -1,
    status: hasHead ? columnOf(STATUS_COLUMN) : -1,
  }
  if (columns.email < 0) throw new OperatorError(`${file} has no column "email".`)
  const first = hasHead ? 1 : 0
  return {
    name: 'csv:subscribers',
    label: 'a table of subscribers',
    count: rows.length - first,
    entries: async function* () {
      for (const [n, cells] of rows.slice(first).entries()) {
        const cell = (column: number) => (cells[column] ?? '').replace(HARMLESS, '').trim()
        const row = { email: cell(columns.email), since: cell(columns.since), status: cell(columns.status) }
        yield entryOf(row, n + 1, confirmed ?? false, nowSeconds)
      }
    },
  }
}

function rowsOf(text: string, file: string): string[][] {
  const [line = ''] = text.split(/\r?\n/, 1)
  const delimiter = [',', ';', '\t'].toSorted((a, b) => line.split(b).length - line.split(a).length)[0]
  try {
    return parse(text, {
      bom: true,
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: 100_000,
    })
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

type Row = { email: string; since: string; status: string }

function entryOf(row: Row, number: number, confirmed: boolean, nowSeconds: number): Entry | Unusable {
  const { data: email, error } = emailAddress.safeParse(row.email)
  if (!email) {
    const problem = `email: ${error?.issues[0]?.message}`
    return { kind: 'subscriber', label: `row ${number} (${row.email.slice(0, 100)})`, problem, isWrong: true }
  }
  const since = secondsOf(row.since)
  const hasEnded = ENDED.test(row.status)
  const record: RecordOf<'subscriber'> = {
    type: 'subscriber',
    id: number,
    email,
    status: hasEnded ? 'unsubscribed' : confirmed ? 'subscribed' : 'pending',
    subscribed_at: confirmed && !hasEnded ? (since ?? nowSeconds) : null,
    unsubscribed_at: hasEnded ? nowSeconds : null,
    mailed_at: null,
    created_at: since ?? nowSeconds,
  }
  return {
    key: `subscriber:${foldedEmail(email)}`,
    record,
    keepsId: false,
    notes: confirmed || hasEnded ? [] : ['Is asked by mail.'],
    digest: digestOf(row),
    asksByMail: !confirmed && !hasEnded,
  }
}
