// Exports a whole service: every record but tokens and secrets, while the service may be running.
import * as z from 'zod/mini'
import manifest from '../../../../package.json' with { type: 'json' }
import { isoTime } from '../../../../shared/http/time.ts'
import { ensureSiteId } from '../../../../shared/imports/site-id.ts'
import type { Table } from '../../../../shared/table/client.ts'
import { COUNTERS } from '../../../../shared/table/kinds.ts'
import { lastId } from '../../../../shared/table/next-id.ts'
import type { Context } from '../../command.ts'
import { openEstimate } from '../../terminal.ts'
import { type ExportLine, FORMAT, FORMAT_VERSION, type RecordLine } from '../format.ts'
import type { CsvWriter } from './csv.ts'
import { type ExportOutput, openFile, openStream, type Position } from './output.ts'
import { type ExportOptions, STEPS, type Step } from './records.ts'

/** A continued export reads up to the ids with which it began. */
const Start = z.object({
  type: z.optional(z.string()),
  site: z.string(),
  withPasswords: z.boolean(),
  exported_at: z.string(),
  last_ids: z.record(z.string(), z.int()),
})
type Start = z.infer<typeof Start>

export type ExportRequest = ExportOptions & {
  /** Undefined for stdout. */
  out: string | undefined
  /** Writes one kind of records as a table instead. */
  csv?: CsvWriter | undefined
  writeOut: (text: string) => Promise<void>
}

/** Returns the number of records. */
export async function exportAll(context: Context, request: ExportRequest): Promise<number> {
  const { table } = context.target
  const site = await ensureSiteId(table)
  const newStart = () => startOf(table, site, request, context.nowSeconds)
  const isSame = ({ type, withPasswords, ...start }: Start) =>
    start.site === site && withPasswords === request.withPasswords && type === request.csv?.type
  const output =
    request.out === undefined
      ? openStream(await newStart(), request.writeOut)
      : await openFile(request.out, Start, newStart, isSame)
  return await writeAll(context, output, request)
}

async function startOf(
  table: Table,
  site: string,
  { withPasswords, csv }: ExportRequest,
  nowSeconds: number,
): Promise<Start> {
  const ids = await Promise.all(
    COUNTERS.map(async counter => [counter, await lastId(table, counter)] as const),
  )
  return {
    ...(csv && { type: csv.type }),
    site,
    withPasswords,
    exported_at: isoTime(nowSeconds),
    last_ids: Object.fromEntries(ids),
  }
}

const BLOCK_LENGTH = 1_000_000

async function writeAll(
  context: Context,
  output: ExportOutput & { start: Start; from: Position },
  request: ExportRequest,
): Promise<number> {
  const { start } = output
  const { csv } = request
  const { withPasswords: _, type: __, ...members } = start
  const write = csv?.lineOf ?? lineOf
  const position = { ...output.from }
  const isNew = position.records === 0 && position.step === 0
  let text = isNew ? (csv?.head ?? lineOf({ ...HEADER, ...members })) : ''
  for (; position.step < STEPS.length; position.step++, position.id = 1) {
    const step = STEPS[position.step]
    if (!step || (csv && csv.type !== step.type)) continue
    for await (const lines of readStep(context, step, position, start, request)) {
      position.records += lines.length
      text += lines.map(write).join('')
      if (text.length < BLOCK_LENGTH) continue
      await output.write(text, position)
      text = ''
    }
  }
  // An earlier run may have died between the last line and the end.
  const isWritten = output.from.step === STEPS.length
  const end = csv ? '' : lineOf({ type: 'end', records: position.records })
  if (!isWritten) await output.write(text + end, position)
  await output.end()
  return position.records
}

const HEADER = {
  type: 'header' as const,
  format: FORMAT,
  version: FORMAT_VERSION,
  service: manifest.version,
} as const

function lineOf(line: ExportLine): string {
  return `${JSON.stringify(line)}\n`
}

/** Reads the next batch while the one before is written. Advances `position` with each batch. */
async function* readStep(
  { target: { table }, progress }: Context,
  { name, counter, atOnce = 1, read }: Step,
  position: Position,
  { last_ids }: Start,
  options: ExportOptions,
): AsyncGenerator<RecordLine[]> {
  const last = counter ? (last_ids[counter] ?? 0) : 1
  const left = openEstimate(() => performance.now())
  const readFrom = (from: number) => {
    const ids = Array.from({ length: Math.min(atOnce, last - from + 1) }, (_, n) => from + n)
    const lines = read(table, ids, options)
    lines.catch(() => undefined)
    return lines
  }
  let next = position.id <= last ? readFrom(position.id) : undefined
  while (next) {
    const lines: Promise<RecordLine[]> = next
    const from = position.id + atOnce
    next = from <= last ? readFrom(from) : undefined
    const batch = await lines
    position.id = from
    progress.show(`Exported ${name}: ${Math.min(from - 1, last)} of ${last}${left(from - 1, last)}`)
    yield batch
  }
}
