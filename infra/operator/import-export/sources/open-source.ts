// Opens a source in the format that is named, or that the files have.
import { stat } from 'node:fs/promises'
import { OperatorError } from '../../command.ts'
import { FORMAT } from '../format.ts'
import { openOwn } from './own.ts'
import type { Source } from './source.ts'
import { readStart } from './text-file.ts'

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

/** Throws OperatorError if a file cannot be read, or has another format. Parsers are loaded on use. */
export async function openSource(files: string[], options: SourceOptions): Promise<Source> {
  const [file = '', ...others] = files
  const known = options.format ?? (await formatOf(file))
  for (const each of files) {
    const isFolder = await isFolderAt(each)
    if (isFolder === (known === 'markdown')) continue
    throw new OperatorError(
      `${each} is ${isFolder ? 'a folder' : 'no folder'}. Markdown is imported from a folder, all else from files.`,
    )
  }
  if (others.length > 0 && known !== 'wordpress') {
    throw new OperatorError('Only WordPress splits its exports: import one file after the other.')
  }
  switch (known) {
    case 'own':
      return await openOwn(file, options.partial ?? false)
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
