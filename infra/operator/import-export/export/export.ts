// Exports a whole service: every record but tokens and secrets, while the service may be running. The next
// run to the same file continues one that was interrupted.
import { open, readFile, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import * as z from 'zod/mini'
import { isoTime } from '../../../../shared/http/time.ts'
import { COUNTERS } from '../../../../shared/table/kinds.ts'
import { lastId } from '../../../../shared/table/next-id.ts'
import { writeJsonAtomically } from '../../../local/state.ts'
import type { Context } from '../../command.ts'
import { openEstimate } from '../../terminal.ts'
import {
  type ExportedRecord,
  exportedRecord,
  FORMAT,
  FORMAT_VERSION,
  type RecordType,
  SHAPES,
} from '../format.ts'
import { ensureSiteId } from '../import/origins.ts'
import { COMMUNITY } from '../kinds/community.ts'
import { CONTENT } from '../kinds/content.ts'

export type ExportRequest = {
  /** Undefined for stdout. */
  out: string | undefined
  withPasswords: boolean
  /** Writes one kind of records instead, as a table. */
  csv?: CsvKind | undefined
}

/** How far an export came. When continued, it reads up to the ids of its start. */
const State = z.object({
  /** What was asked for. */
  request: z.string(),
  last_ids: z.record(z.string(), z.int()),
  /** The next records to read: the number of the kind, and the first id. */
  kind: z.int(),
  id: z.int(),
  records: z.int(),
  bytes: z.int(),
})
type State = z.infer<typeof State>

const KINDS = [...CONTENT, ...COMMUNITY]
const AT_ONCE = 50
const BLOCK_LENGTH = 1_000_000

/** Returns the number of records. */
export async function exportAll(context: Context, request: ExportRequest): Promise<number> {
  const { out, csv, withPasswords } = request
  const { table } = context.target
  const site = await ensureSiteId(table)
  const ids = await Promise.all(
    COUNTERS.map(async counter => [counter, await lastId(table, counter)] as const),
  )
  const begun: State = {
    request: JSON.stringify([csv, site, withPasswords]),
    last_ids: Object.fromEntries(ids),
    ...{ kind: 0, id: 1, records: 0, bytes: 0 },
  }
  const exported_at = isoTime(context.nowSeconds)
  const head = lineOf({ type: 'header', format: FORMAT, version: FORMAT_VERSION, site, exported_at })
  const blocksFrom = (state: State) => readBlocks(context, request, head, state)
  if (out !== undefined) return await writeFile(resolve(out), begun, blocksFrom)
  for await (const block of blocksFrom(begun)) await context.writeOut(block)
  return begun.records
}

/** Whole lines. The state is where the next block begins. */
async function* readBlocks(
  { target, progress }: Context,
  { csv: csvKind, withPasswords }: ExportRequest,
  head: string,
  state: State,
): AsyncGenerator<string> {
  const csv = csvKind && csvWriter(csvKind)
  const write = csv?.lineOf ?? lineOf
  let text = state.bytes > 0 ? '' : (csv?.head ?? head)
  // An earlier run wrote the last line, and died before it renamed the file.
  if (state.kind === KINDS.length) return
  for (; state.kind < KINDS.length; state.kind++, state.id = 1) {
    const kind = KINDS[state.kind]
    if (!kind || (csv && csv.type !== kind.type)) continue
    const last = kind.counter ? (state.last_ids[kind.within ?? kind.counter] ?? 0) : 1
    const left = openEstimate(() => performance.now())
    while (state.id <= last) {
      const ids = Array.from({ length: Math.min(AT_ONCE, last - state.id + 1) }, (_, n) => state.id + n)
      const records = await kind.read(target.table, ids, withPasswords)
      state.id += ids.length
      state.records += records.length
      const done = state.id - 1
      progress.show(`Exported ${done} of ${last}${left(done, last)}, now: ${kind.type}`)
      text += records.map(record => write(exportedRecord(kind.type, record))).join('')
      if (text.length < BLOCK_LENGTH) continue
      yield text
      text = ''
    }
  }
  yield text + (csv ? '' : lineOf({ type: 'end', records: state.records }))
}

function lineOf(line: object): string {
  return `${JSON.stringify(line)}\n`
}

const compress = promisify(gzip)

/**
 * Writes to `FILE.partial` until the export is complete. Each block of a compressed file is a member of its
 * own, so that a run can continue behind the last complete one. Returns the number of records.
 */
async function writeFile(
  path: string,
  begun: State,
  blocksFrom: (state: State) => AsyncIterable<string>,
): Promise<number> {
  const [partial, notes] = [`${path}.partial`, `${path}.partial.json`]
  const text = await readFile(notes, 'utf8').catch(() => undefined)
  const stored = text === undefined ? undefined : State.safeParse(JSON.parse(text)).data
  const state = stored?.request === begun.request ? stored : begun
  await using handle = await open(partial, state === begun ? 'w' : 'r+', 0o600)
  await handle.truncate(state.bytes)
  for await (const text of blocksFrom(state)) {
    const block = path.endsWith('.gz') ? await compress(text) : Buffer.from(text)
    await handle.write(block, 0, block.length, state.bytes)
    state.bytes += block.length
    await handle.datasync()
    await writeJsonAtomically(notes, state)
  }
  await rm(notes, { force: true })
  await rename(partial, path)
  return state.records
}

export const CSV_KINDS = ['newsletter', 'contact', 'users', 'posts'] as const
type CsvKind = (typeof CSV_KINDS)[number]
const TYPES: Record<CsvKind, RecordType> = {
  newsletter: 'subscriber',
  contact: 'submission',
  users: 'user',
  posts: 'post',
}

/** A body fits into no cell. */
const NO_COLUMNS = ['type', 'body', 'version', 'password_hash', 'wants_newsletter', 'mailed_at']

/** A table for a spreadsheet: RFC 4180 in UTF-8 with a byte order mark, without formulas. */
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
