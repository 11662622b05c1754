// Subscribers of a newsletter, as spreadsheets and other services export them.
import { parse } from 'csv-parse/sync'
import { emailAddress, foldedEmail } from '../../../../shared/http/email.ts'
import { OperatorError } from '../../command.ts'
import { digestOf, NO_ID } from '../format.ts'
import { readText } from './files.ts'
import { type Entry, messageOf, type Source, type SourceOptions, type UnusableRecord } from './source.ts'
import { secondsOf } from './time.ts'

const EMAIL_COLUMN = /^(?:e-?mail|e-?mail[ _]address|address)$/i
const SINCE_COLUMN = /^(?:subscribed_at|created_at|optin_time|confirm_time|date added)$/i
const STATUS_COLUMN = /^(?:status|subscribed|subscribed_to_emails)$/i
/** Filled in for those who left, whatever the status says. */
const END_COLUMN = /^(?:unsubscribed(?:[_ ]at)?|unsub_time|clean_time|deleted_at|opt(?:ed)?[_ -]?out)$/i
const CONFIRMED = /^(?:subscribed|active|confirmed|enabled|true|yes|1)?$/i
const PENDING = /^(?:pending|unconfirmed)$/i
const ENDED =
  /^(?:unsubscribed?|(?:non|not)[- ]?subscribed|cleaned|(?:hard[- ]?)?bounced?|complained|spam|blocked|suppressed|removed|deleted|archived|inactive|disabled|opt(?:ed)?[- ]?out|false|no|0)$/i
const NOT_ENDED = /^(?:false|no|0|0000.*)?$/i
/** A spreadsheet takes these for the beginning of a formula, so exports put an apostrophe before them. */
const HARMLESS = /^'(?=\s*[=+\-@])/

/** Throws OperatorError if no column has addresses. */
export async function openCsv(file: string, options: SourceOptions): Promise<Source> {
  const { text, brokenAt } = await readText(file)
  if (brokenAt !== undefined) {
    throw new OperatorError(`${file} is not UTF-8 in line ${brokenAt}. Save it as UTF-8.`)
  }
  const [head = [], ...rows] = rowsOf(text, file)
  const columnOf = (pattern: RegExp) => head.findIndex(cell => pattern.test(cell.trim()))
  if (columnOf(EMAIL_COLUMN) < 0) throw new OperatorError(`${file} has no column "email".`)
  const subscribers = rows.map(cells => {
    const cell = (pattern: RegExp) => (cells[columnOf(pattern)] ?? '').replace(HARMLESS, '').trim()
    const [status, end] = [cell(STATUS_COLUMN), cell(END_COLUMN)]
    const hasEnded = ENDED.test(status) || !NOT_ENDED.test(end)
    return { email: cell(EMAIL_COLUMN), since: cell(SINCE_COLUMN), status, end, hasEnded }
  })
  const ended = new Set(subscribers.filter(row => row.hasEnded).map(({ email }) => foldedEmail(email)))
  return {
    name: 'csv:subscribers',
    label: 'a table of subscribers',
    count: subscribers.length,
    entries: () => subscribers.map((row, n) => entryOf(row, n + 1, ended, options)),
  }
}

function rowsOf(text: string, file: string): string[][] {
  // Excel names the delimiter in a line of its own.
  const [named = '', separator] = /^sep=(.)\r?\n/i.exec(text) ?? []
  const [line = ''] = text.split(/\r?\n/, 1)
  const [most] = [',', ';', '\t'].toSorted((a, b) => line.split(b).length - line.split(a).length)
  const delimiter = separator ?? most
  try {
    return parse(text.slice(named.length), {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: 100_000,
    })
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${messageOf(error)}`)
  }
}

type Row = { email: string; since: string; status: string; end: string; hasEnded: boolean }

/** `ended`: the addresses that are unsubscribed in at least one row. They stay unsubscribed. */
function entryOf(row: Row, id: number, ended: Set<string>, options: SourceOptions): Entry | UnusableRecord {
  const { confirmed = false, nowSeconds } = options
  const { data: email, error } = emailAddress.safeParse(row.email)
  const invalid = {
    outcome: 'wrong',
    kind: 'subscriber',
    label: `row ${id} (${row.email.slice(0, 100)})`,
  } as const
  if (!email) return { ...invalid, reason: `email: ${error?.issues[0]?.message}` }
  const hasEnded = ended.has(foldedEmail(row.email))
  const isPending = PENDING.test(row.status)
  if (!hasEnded && !isPending && !CONFIRMED.test(row.status)) {
    const problem = 'is not known. Write subscribed, pending or unsubscribed.'
    return { ...invalid, reason: `status: "${row.status.slice(0, 100)}" ${problem}` }
  }
  const isSubscribed = confirmed && !isPending && !hasEnded
  const asksByMail = !isSubscribed && !hasEnded
  const since = secondsOf(row.since)
  const notes = [
    ...(asksByMail ? ['Is asked by mail.'] : []),
    ...(hasEnded && !row.hasEnded ? ['Another row says that it left.'] : []),
    ...(since === null && row.since !== '' ? [`Its date ${row.since.slice(0, 100)} cannot be read.`] : []),
  ]
  return {
    key: `subscriber:${foldedEmail(email)}`,
    record: {
      type: 'subscriber',
      id: NO_ID + id,
      email,
      status: hasEnded ? 'unsubscribed' : isSubscribed ? 'subscribed' : 'pending',
      subscribed_at: isSubscribed ? (since ?? nowSeconds) : null,
      unsubscribed_at: hasEnded ? (secondsOf(row.end) ?? nowSeconds) : null,
      mailed_at: null,
      created_at: since ?? nowSeconds,
    },
    notes,
    digest: digestOf(row),
    asksByMail,
  }
}
