// Opens a source in the format that is named, or that the file has.
import { stat } from 'node:fs/promises'
import { OperatorError } from '../../operator-error.ts'
import { FORMAT } from '../format.ts'
import type { Source } from '../item.ts'
import { openGhost } from './ghost.ts'
import { readStart } from './lines.ts'
import { openMarkdown } from './markdown.ts'
import { openOwn } from './own.ts'
import { openWordPress } from './wordpress.ts'

export const SOURCE_FORMATS = ['own', 'ghost', 'wordpress', 'markdown'] as const
export type SourceFormat = (typeof SOURCE_FORMATS)[number]

export type SourceOptions = {
  format?: SourceFormat | undefined
  /** The address of the old site. */
  sourceUrl?: string | undefined
}

/** Throws OperatorError if the file cannot be read, or has another format. */
export async function openSource(file: string, { format, sourceUrl }: SourceOptions): Promise<Source> {
  const found = await stat(file).catch(() => undefined)
  if (!found) throw new OperatorError(`There is no file ${file}.`)
  const known = format ?? (found.isDirectory() ? 'markdown' : await formatOf(file))
  if (found.isDirectory() !== (known === 'markdown')) {
    throw new OperatorError(
      `${file} is ${found.isDirectory() ? 'a folder' : 'no folder'}. Markdown is imported from a folder, all else from a file.`,
    )
  }
  switch (known) {
    case 'own':
      return await openOwn(file)
    case 'ghost':
      return await openGhost(file, sourceUrl)
    case 'wordpress':
      return await openWordPress(file)
    case 'markdown':
      return await openMarkdown(file, sourceUrl)
  }
}

const START_LENGTH = 20_000

async function formatOf(file: string): Promise<SourceFormat> {
  const start = await readStart(file, START_LENGTH)
  if (start.includes(`"format":"${FORMAT}"`)) return 'own'
  if (start.includes('wordpress.org/export/')) return 'wordpress'
  if (/^\s*\{\s*"(?:db|meta|data)"\s*:/.test(start)) return 'ghost'
  throw new OperatorError(`${file} has no known format. Name it with --from: ${SOURCE_FORMATS.join(', ')}.`)
}
