// A source: a file or folder of any format that gives records of the own format, and a line for each that
// cannot become one.
import { stat } from 'node:fs/promises'
import { OperatorError } from '../../command.ts'
import { type ExportRecord, FORMAT } from '../format.ts'
import { readStart } from './files.ts'

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
  const format = options.format ?? (await formatOf(file))
  for (const each of files) {
    const isFolder = await isFolderAt(each)
    if (isFolder === (format === 'markdown')) continue
    throw new OperatorError(
      `${each} is ${isFolder ? 'a folder' : 'no folder'}. Markdown is imported from a folder, all else from files.`,
    )
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

async function isFolderAt(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  if (!found) throw new OperatorError(`There is no file ${file}.`)
  if (!found.isDirectory() && !found.isFile()) throw new OperatorError(`${file} is no file.`)
  return found.isDirectory()
}

const START_LENGTH = 20_000

async function formatOf(file: string): Promise<SourceFormat> {
  if (await isFolderAt(file)) return 'markdown'
  const start = (await readStart(file, START_LENGTH)).replace(/^\ufeff/, '')
  if (start.includes(`"format":"${FORMAT}"`)) return 'own'
  if (start.includes('wordpress.org/export/')) return 'wordpress'
  if (/^\s*\{\s*"(?:db|meta|data)"\s*:/.test(start)) return 'ghost'
  throw new OperatorError(`${file} has no known format. Name it with --from: ${SOURCE_FORMATS.join(', ')}.`)
}

type Issues = { issues: { path: PropertyKey[]; message: string }[] }
const LONGEST_PROBLEM = 500

/** `title: Is required.` */
export function problemOf({ issues }: Issues): string {
  const text = issues.map(({ path, message }) => `${path.join('.') || 'the record'}: ${message}`).join(' ')
  return text.length > LONGEST_PROBLEM ? `${text.slice(0, LONGEST_PROBLEM)}…` : text
}

/** What an error says, in a sentence. */
export function messageOf(error: unknown): string {
  return `${error instanceof Error ? error.message : error}`.replace(/\.?$/, '.')
}
