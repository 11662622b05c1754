// Tables for spreadsheets: RFC 4180 in UTF-8 with a byte order mark, without formulas.
import { type ExportedRecord, type RecordType, SHAPES } from '../format.ts'

export const CSV_KINDS = ['newsletter', 'contact', 'users', 'posts'] as const
export type CsvKind = (typeof CSV_KINDS)[number]
const TYPES: Record<CsvKind, RecordType> = {
  newsletter: 'subscriber',
  contact: 'submission',
  users: 'user',
  posts: 'post',
}

/** A body fits into no cell. */
const NO_COLUMNS = ['type', 'body', 'version', 'password_hash', 'wants_newsletter', 'mailed_at']

export type CsvWriter = ReturnType<typeof csvWriter>

export function csvWriter(kind: CsvKind) {
  const type = TYPES[kind]
  const columns = Object.keys(SHAPES.get(type) ?? {}).filter(name => !NO_COLUMNS.includes(name))
  const lineOf = (record: ExportedRecord) => rowOf(columns.map(column => textOf(record[column])))
  return { type, head: `\ufeff${rowOf(columns)}`, lineOf }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? Object.values(value).join(' ') : String(value)
}

function rowOf(cells: string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

/** Spreadsheets take these for the beginning of a formula, and cut white space before them. */
const FORMULA = /^\s*[=+\-@\t\r]/

function cellOf(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
