// A source: a file or folder of any format that gives records of the own format, and a line for each that
// cannot become one.
import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { OperatorError } from '../../command.ts'
import type { ExportRecord } from '../format.ts'

export type Entry<Record extends ExportRecord = ExportRecord> = {
  /** What the source calls the record, in an import behind the name of the source: it is imported once. */
  key: string
  /** Its ids are those of the source. */
  record: Record
  /** What of the source did not fit. */
  notes: string[]
  /** The digest of all that the source says: an update writes what differs. */
  digest: string
  /** Paths and addresses at which the old site showed it. */
  oldAddresses?: string[]
  /** A subscriber who is to be asked by mail. */
  asksByMail?: boolean
}

/** A line of the report for what cannot become a record. `wrong`: it should have been able to. */
export type UnusableRecord = { outcome: 'wrong' | 'skipped'; kind: string; label: string; reason: string }

/** Thrown for a record that cannot be imported for a reason that is no mistake. */
export class Skip extends Error {}

export const DOUBLED = 'Its id is that of an earlier record of the source.'

/** `error`: why it is skipped, or wrong. */
export function unusable(kind: string, label: string, error: unknown): UnusableRecord {
  return { outcome: error instanceof Skip ? 'skipped' : 'wrong', kind, label, reason: messageOf(error) }
}

export type Source = {
  /** Names where the records come from, the same each time: with a key it names a record. */
  name: string
  /** For people. */
  label: string
  /** For progress. */
  count: number
  entries: () => AsyncIterable<Entry | UnusableRecord> | Iterable<Entry | UnusableRecord>
}

export const SOURCE_FORMATS = ['own', 'ghost', 'wordpress', 'markdown', 'csv'] as const
export type SourceFormat = (typeof SOURCE_FORMATS)[number]

export type SourceOptions = {
  format?: SourceFormat | undefined
  /** The address of the old site. */
  sourceUrl?: string | undefined
  /** Imports what a file has that was cut off. */
  partial?: boolean
  /** Further taxonomies of WordPress whose terms become categories. */
  taxonomies?: string[]
  /** Whether the subscribers of a CSV file have confirmed. Others are asked by mail. */
  confirmed?: boolean
  nowSeconds: number
}

/** Reads the files to their end. Throws OperatorError if one cannot be read, or has another format. */
export async function openSource(files: string[], options: SourceOptions): Promise<Source> {
  const [file = '', ...others] = files
  const found = await stat(file).catch(() => undefined)
  if (!found) throw new OperatorError(`There is no file ${file}.`)
  const isFolder = found.isDirectory()
  const format = options.format ?? (isFolder ? 'markdown' : formatOf(file))
  if (isFolder !== (format === 'markdown')) {
    throw new OperatorError('Markdown is imported from a folder, all else from files.')
  }
  if (others.length > 0 && format !== 'wordpress') {
    throw new OperatorError('Only WordPress splits its exports: import one file after the other.')
  }
  // Parsers are loaded on use.
  switch (format) {
    case 'own':
      return await (await import('./own.ts')).openOwn(file, options)
    case 'ghost':
      return await (await import('./ghost.ts')).openGhost(file, options)
    case 'wordpress':
      return await (await import('./wordpress.ts')).openWordPress(files, options)
    case 'markdown':
      return await (await import('./markdown.ts')).openMarkdown(file, options)
    case 'csv':
      return await (await import('./csv.ts')).openCsv(file, options)
  }
}

const FORMATS = new Map<string, SourceFormat>([
  ['.jsonl', 'own'],
  ['.json', 'ghost'],
  ['.xml', 'wordpress'],
])

function formatOf(file: string): SourceFormat {
  const format = FORMATS.get(extname(file.replace(/\.gz$/, '')).toLowerCase())
  if (format) return format
  const known = [...FORMATS].map(([ending, format]) => `${ending} (${format})`).join(', ')
  throw new OperatorError(
    `${file} has no known format: its name does not end with ${known}. Name it with --from: ${SOURCE_FORMATS.join(', ')}.`,
  )
}

/** `last`: the last record of the file that is whole. */
export function cutOff(file: string, last: string): OperatorError {
  return new OperatorError(
    `${file} was cut off. Its last whole record is ${last}. Nothing was imported. Export again, or add --partial to import what it has.`,
  )
}

type Issues = { issues: { path: PropertyKey[]; message: string }[] }
const MOST_ISSUES = 5

/** `title: Is required.` */
export function problemOf({ issues }: Issues): string {
  const first = issues.slice(0, MOST_ISSUES)
  return first.map(({ path, message }) => `${path.join('.') || 'the record'}: ${message}`).join(' ')
}

/** What an error says, in a sentence. */
export function messageOf(error: unknown): string {
  return `${error instanceof Error ? error.message : error}`.replace(/\.?$/, '.')
}
