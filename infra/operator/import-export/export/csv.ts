// Tables for spreadsheets: RFC 4180 in UTF-8 with a byte order mark, without formulas.
import { NO_TEXTS } from '../../../../shared/posts/fields.ts'
import type { ExportedRecord, RecordType } from '../format.ts'

export const CSV_KINDS = ['newsletter', 'contact', 'users', 'posts'] as const
export type CsvKind = (typeof CSV_KINDS)[number]

const TABLES: Record<CsvKind, { type: RecordType; columns: string[] }> = {
  newsletter: {
    type: 'subscriber',
    columns: ['id', 'email', 'status', 'subscribed_at', 'unsubscribed_at', 'created_at'],
  },
  contact: { type: 'submission', columns: ['id', 'name', 'email', 'subject', 'message', 'created_at'] },
  users: {
    type: 'user',
    columns: ['id', 'name', 'email', 'email_verified', 'avatar', 'bio', 'ban', 'created_at'],
  },
  // Without the body, which fits into no cell.
  posts: {
    type: 'post',
    columns: [
      'id',
      'content_type',
      'title',
      'slug',
      'short_description',
      'author_id',
      'category_ids',
      ...Object.keys(NO_TEXTS),
      'featured_image',
      'is_published',
      'posted_at',
      'created_at',
      'updated_at',
    ],
  },
}

export type CsvWriter = { type: RecordType; head: string; lineOf: (record: ExportedRecord) => string }

export function csvWriter(kind: CsvKind): CsvWriter {
  const { type, columns } = TABLES[kind]
  const lineOf = (record: ExportedRecord) => {
    const members = new Map(Object.entries(record))
    return rowOf(columns.map(column => textOf(members.get(column))))
  }
  return { type, head: `\ufeff${rowOf(columns)}`, lineOf }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.join(' ')
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
