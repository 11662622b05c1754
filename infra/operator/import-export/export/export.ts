// Exports a whole service: every record but tokens and secrets, while the service may be running. The next
// run to the same file continues one that was interrupted.
import { open, readFile, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import * as z from 'zod/mini'
import manifest from '../../../../package.json' with { type: 'json' }
import { isoTime } from '../../../../shared/http/time.ts'
import type { Table } from '../../../../shared/table/client.ts'
import { COUNTERS } from '../../../../shared/table/kinds.ts'
import { lastId } from '../../../../shared/table/next-id.ts'
import { writeJsonAtomically } from '../../../local/state.ts'
import type { Context } from '../../command.ts'
import { openEstimate } from '../../terminal.ts'
import { type ExportedRecord, FORMAT, FORMAT_VERSION } from '../format.ts'
import { ensureSiteId } from '../import/origins.ts'
import type { CsvWriter } from './csv.ts'
import { type ExportOptions, STEPS, type Step } from './records.ts'

export type ExportRequest = ExportOptions & {
  /** Undefined for stdout. */
  out: string | undefined
  /** Writes one kind of records as a table instead. */
  csv?: CsvWriter | undefined
  writeOut: (text: string) => Promise<void>
}

/** A continued export reads up to the ids with which it began. */
const Start = z.object({
  type: z.optional(z.string()),
  site: z.string(),
  withPasswords: z.boolean(),
  exported_at: z.string(),
  last_ids: z.record(z.string(), z.int()),
})
type Start = z.infer<typeof Start>
/** The next records to read: the number of the step, and the first id. */
const Position = z.object({ step: z.int(), id: z.int(), records: z.int() })
type Position = z.infer<typeof Position>
const Notes = z.object({ start: Start, next: Position, bytes: z.int() })
type Notes = z.infer<typeof Notes>

type Output = Pick<Notes, 'start' | 'next'> & {
  /** Writes whole lines. A later run continues at `next`. */
  write: (text: string, next: Position) => Promise<void>
  end: () => Promise<void>
}

const BLOCK_LENGTH = 1_000_000

/** Returns the number of records. */
export async function exportAll(context: Context, request: ExportRequest): Promise<number> {
  const { out, csv } = request
  const begun = {
    start: await startOf(context.target.table, request, context.nowSeconds),
    next: { step: 0, id: 1, records: 0 },
    bytes: 0,
  }
  const output: Output =
    out === undefined
      ? { ...begun, write: request.writeOut, end: async () => undefined }
      : await openFile(resolve(out), begun)
  const { start, next } = output
  const { type: _, withPasswords: __, ...header } = start
  const write = csv?.lineOf ?? lineOf
  const position = { ...next }
  const isNew = next.records === 0 && next.step === 0
  let text = isNew ? (csv?.head ?? lineOf({ ...HEADER, ...header })) : ''
  for (; position.step < STEPS.length; position.step++, position.id = 1) {
    const step = STEPS[position.step]
    if (!step || (csv && csv.type !== step.type)) continue
    for await (const records of readStep(context, step, position, start, request)) {
      position.records += records.length
      text += records.map(write).join('')
      if (text.length < BLOCK_LENGTH) continue
      await output.write(text, position)
      text = ''
    }
  }
  // An earlier run may have died between the last line and the end.
  const isWritten = next.step === STEPS.length
  const end = csv ? '' : lineOf({ type: 'end', records: position.records })
  if (!isWritten) await output.write(text + end, position)
  await output.end()
  return position.records
}

const HEADER = {
  type: 'header',
  format: FORMAT,
  version: FORMAT_VERSION,
  service: manifest.version,
} as const

function lineOf(line: object): string {
  return `${JSON.stringify(line)}\n`
}

async function startOf(
  table: Table,
  { withPasswords, csv }: ExportRequest,
  nowSeconds: number,
): Promise<Start> {
  const site = await ensureSiteId(table)
  const ids = await Promise.all(
    COUNTERS.map(async counter => [counter, await lastId(table, counter)] as const),
  )
  const start = { site, withPasswords, exported_at: isoTime(nowSeconds), last_ids: Object.fromEntries(ids) }
  return csv ? { ...start, type: csv.type } : start
}

const compress = promisify(gzip)

/**
 * Writes to `FILE.partial` until the export is complete. Each block of a compressed file is a member of its
 * own, so that a run can continue behind the last complete one.
 */
async function openFile(path: string, begun: Notes): Promise<Output> {
  const [partial, notes] = [`${path}.partial`, `${path}.partial.json`]
  const text = await readFile(notes, 'utf8').catch(() => undefined)
  const stored = text === undefined ? undefined : Notes.safeParse(JSON.parse(text)).data
  const members = ['type', 'site', 'withPasswords'] as const
  const isSame = stored && members.every(name => stored.start[name] === begun.start[name])
  const { start, next, ...left } = isSame ? stored : begun
  const handle = await open(partial, isSame ? 'r+' : 'w', 0o600)
  let { bytes } = left
  await handle.truncate(bytes)
  const write = async (text: string, next: Position): Promise<void> => {
    const block = path.endsWith('.gz') ? await compress(text) : Buffer.from(text)
    await handle.write(block, 0, block.length, bytes)
    bytes += block.length
    await handle.datasync()
    await writeJsonAtomically(notes, { start, next, bytes })
  }
  const end = async (): Promise<void> => {
    await handle.close()
    await rename(partial, path)
    await rm(notes, { force: true })
  }
  return { start, next, write, end }
}

/** Reads the next batch while the one before is written. Advances `position` with each batch. */
async function* readStep(
  { target: { table }, progress }: Context,
  { name, counter, atOnce = 1, read }: Step,
  position: Position,
  { last_ids }: Start,
  options: ExportOptions,
): AsyncGenerator<ExportedRecord[]> {
  const last = counter ? (last_ids[counter] ?? 0) : 1
  const left = openEstimate(() => performance.now())
  const readFrom = (from: number) => {
    const ids = Array.from({ length: Math.min(atOnce, last - from + 1) }, (_, n) => from + n)
    const records = read(table, ids, options)
    records.catch(() => undefined)
    return records
  }
  let next = position.id <= last ? readFrom(position.id) : undefined
  while (next) {
    const records: Promise<ExportedRecord[]> = next
    const from = position.id + atOnce
    next = from <= last ? readFrom(from) : undefined
    const batch = await records
    position.id = from
    progress.show(`Exported ${name}: ${Math.min(from - 1, last)} of ${last}${left(from - 1, last)}`)
    yield batch
  }
}
