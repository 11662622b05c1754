// Imports the records of a source, eight at a time. Each reserves its id under its origin, and ends that in
// its own transaction: none comes twice, whenever a run is killed.
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../../../../shared/http/errors.ts'
import { readIndexState } from '../../../../shared/search/index-state.ts'
import { updateIndex } from '../../../../shared/search/update-index.ts'
import { ConditionFailed, failedAs } from '../../../../shared/table/action.ts'
import { mapConcurrently } from '../../../../shared/table/concurrency.ts'
import { retryOnConflict } from '../../../../shared/table/retry-on-conflict.ts'
import type { Context } from '../../command.ts'
import { openEstimate } from '../../terminal.ts'
import { type ExportRecord, kindOf, labelOf, type RecordType } from '../format.ts'
import type { Entry, Source } from '../sources/source.ts'
import {
  type ImportJob,
  type ImportOptions,
  type Outcome,
  openJob,
  type Report,
  type ReportLine,
  Skip,
  type Writer,
} from './job.ts'
import {
  ALREADY_IMPORTED,
  findOrigins,
  MOST_AT_ONCE,
  type Origin,
  renewOrigin,
  reserveOrigins,
} from './origins.ts'
import { COMMENTS, REPLIES, SUBMISSIONS, SUBSCRIBERS, TICKETS, USERS, WEBHOOKS } from './write-community.ts'
import { CATEGORIES, MENUS, POSTS, publicPath, SETTINGS } from './write-content.ts'

const WRITERS: Record<RecordType, Writer> = {
  settings: SETTINGS,
  menu: MENUS,
  category: CATEGORIES,
  user: USERS,
  post: POSTS,
  comment: COMMENTS,
  ticket: TICKETS,
  reply: REPLIES,
  subscriber: SUBSCRIBERS,
  submission: SUBMISSIONS,
  webhook: WEBHOOKS,
}

const AT_ONCE = 8
/** Markers of more pending posts would slow down the searches during the import. */
const INDEX_EVERY = 1_920

export async function importSource(
  context: Context,
  source: Source,
  options: ImportOptions,
): Promise<Report> {
  const job = await openJob(context, source, options)
  const left = openEstimate(() => performance.now())
  let [done, unmerged] = [0, 0]
  try {
    for await (const { type, entries } of batchesOf(source, job.report)) {
      await importBatch(job, WRITERS[type], entries)
      done += entries.length
      unmerged += type === 'post' ? entries.length : 0
      const estimate = left(done, source.count)
      context.progress.show(`Imported ${done} of ${source.count} records${estimate}, now: ${type}`)
      if (unmerged < INDEX_EVERY) continue
      await mergeIndex(job)
      unmerged = 0
    }
  } finally {
    await mergeIndex(job)
  }
  return job.report
}

/** Records of one type at a time, each once. Reports what cannot be imported. */
async function* batchesOf(source: Source, { lines }: Report) {
  const seen = new Set<string>()
  let batch: { type: RecordType; entries: Entry[] } | undefined
  for await (const entry of source.entries()) {
    if ('problem' in entry) {
      const { kind, label, problem, isWrong } = entry
      lines.push({ outcome: isWrong ? 'wrong' : 'skipped', kind, label, reason: problem })
      continue
    }
    const { key, record } = entry
    if (seen.has(key)) {
      const reason = 'Its id is that of an earlier record of the source.'
      lines.push({ outcome: 'skipped', kind: kindOf(record), label: labelOf(record), reason })
      continue
    }
    seen.add(key)
    if (batch && (batch.type !== record.type || batch.entries.length >= MOST_AT_ONCE)) {
      yield batch
      batch = undefined
    }
    batch ??= { type: record.type, entries: [] }
    batch.entries.push(entry)
  }
  if (batch) yield batch
}

async function importBatch(job: ImportJob, writer: Writer, entries: Entry[]): Promise<void> {
  const nameOf = ({ key }: Entry) => `${job.source} ${key}`
  const origins = await findOrigins(job.table, entries.map(nameOf))
  const missing: Entry[] = []
  await mapConcurrently(entries, AT_ONCE, async entry => {
    const { name = nameOf(entry), id = idIn(entry.record), digest = '' } = origins.get(nameOf(entry)) ?? {}
    const result = await attempt(() => resultWithoutCreation(job, writer, entry, { name, id, digest }))
    if (result) {
      report(job, entry, result)
    } else {
      missing.push(entry)
    }
  })
  missing.sort((a, b) => idIn(a.record) - idIn(b.record))
  const wanted = missing.map(entry => ({ name: nameOf(entry), id: idIn(entry.record) }))
  const ids = await patiently(() => reserveOrigins(job.table, writer.counter, wanted))
  // Comments of a post follow one after the other, since a reply needs the one above it.
  const groups = Map.groupBy(missing, ({ record, key }) =>
    record.type === 'comment' ? record.post_id : record.type === 'reply' ? record.ticket_id : key,
  )
  await mapConcurrently(groups.values(), AT_ONCE, async group => {
    for (const entry of group) {
      const name = nameOf(entry)
      const origin = { name, id: ids.get(name) ?? 0, digest: entry.digest }
      report(job, entry, await attempt(() => create(job, writer, entry, origin)))
    }
  })
}

function idIn(record: ExportRecord): number {
  return 'id' in record ? record.id : 0
}

type Result = Pick<ReportLine, 'outcome' | 'id' | 'reason'>

function report(job: ImportJob, entry: Entry, { outcome, id, reason }: Result): void {
  const { record, notes, oldAddresses = [] } = entry
  const { lines, redirects } = job.report
  if (id) know(job, record, id)
  const reasons = [...(outcome === 'made' ? notes : []), reason ?? ''].filter(text => text !== '')
  const line = { outcome, kind: kindOf(record), id: id || undefined, label: labelOf(record) }
  lines.push({ ...line, reason: reasons.join(' ') || undefined })
  if (record.type !== 'post' || outcome === 'wrong' || !record.is_published) return
  const to = publicPath(record)
  for (const from of oldAddresses) {
    if (from.replace(/\/$/, '') !== to && !redirects.has(from)) redirects.set(from, to)
  }
}

/** Records that follow may refer to this one. */
function know({ ids }: ImportJob, record: ExportRecord, id: number): void {
  if ('id' in record) ids.set(`${record.type}:${record.id}`, id)
}

/** What became of a record, also when only it failed. */
async function attempt<T extends Result | undefined>(act: () => Promise<T>): Promise<T | Result> {
  try {
    return await patiently(act)
  } catch (error) {
    return failureOf(error)
  }
}

function failureOf(error: unknown): Result {
  const isApiError = error instanceof ApiError
  if (error instanceof Skip) return { outcome: 'skipped', reason: error.message }
  if (isApiError && error.code === 'NOT_FOUND') return { outcome: 'skipped', reason: 'Was deleted here.' }
  if (isApiError && error.code === 'VALIDATION_ERROR') return { outcome: 'wrong', reason: reasonOf(error) }
  // The database takes no item of more than 400 kB.
  const isRefused = error instanceof Error && error.name === 'ValidationException'
  if (isRefused) return { outcome: 'wrong', reason: error.message }
  throw error
}

/** `slug: Is already taken.` */
function reasonOf({ fields, message }: ApiError): string {
  const texts = Object.entries(fields ?? {}).map(([name, faults]) => `${name}: ${faults.join(' ')}`)
  return texts.length > 0 ? texts.join(' ') : message
}

/** Of a record that is here, or in a dry run. Undefined: it is to be created. */
async function resultWithoutCreation(
  job: ImportJob,
  writer: Writer,
  entry: Entry,
  origin: Origin,
): Promise<Result | undefined> {
  const { record } = entry
  if (origin.digest !== '') return await update(job, writer, entry, origin, 'Was imported before.')
  if (job.isOwnSite && (await job.table.findMany([writer.keyOf(record)])).length > 0) {
    return await update(job, writer, entry, { ...origin, id: idIn(record) }, 'Is here already.')
  }
  const match = await writer.find?.(job, record)
  if (match) return { outcome: 'skipped', ...match }
  if (!job.options.dryRun) return undefined
  know(job, record, idIn(record))
  return { outcome: 'made' }
}

async function create(job: ImportJob, writer: Writer, entry: Entry, origin: Origin): Promise<Result> {
  const { id } = origin
  try {
    await retryOnConflict(() => writer.create(job, entry, id, job.work(origin)))
    return { outcome: 'made', id }
  } catch (error) {
    if (failedAs(error, ALREADY_IMPORTED)) {
      return { outcome: 'skipped', id, reason: 'Another import made it at the same time.' }
    }
    const match = error instanceof ConditionFailed && (await writer.find?.(job, entry.record))
    if (match) return { outcome: 'skipped', ...match }
    throw error
  }
}

/** A record that is here: unless it is to be updated, it stays as it is. */
async function update(
  job: ImportJob,
  writer: Writer,
  entry: Entry,
  origin: Origin,
  reason: string,
): Promise<Result> {
  const { id } = origin
  know(job, entry.record, id)
  if (!job.options.update || entry.digest === origin.digest) return { outcome: 'skipped', id, reason }
  if (!writer.update) {
    return { outcome: 'skipped', id, reason: `${reason} A ${kindOf(entry.record)} is never updated.` }
  }
  if (!job.options.dryRun) {
    await writer.update(job, entry, id)
    await job.table.write(renewOrigin({ ...origin, digest: entry.digest }))
  }
  return { outcome: 'updated', id }
}

const [MAX_ATTEMPTS, PAUSE_MS] = [30, 1_000]

/** Asks a service again that has too much to do: no caller waits, and a run that ended would start over. */
async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      const isBusy = error instanceof ApiError && error.code === 'UNAVAILABLE'
      if (!isBusy || attempt === MAX_ATTEMPTS) throw error
      await pause(PAUSE_MS)
    }
  }
}

const MAX_CONFLICTS = 20

async function mergeIndex({ table, nowMs, options, context }: ImportJob): Promise<void> {
  if (options.dryRun || (await readIndexState(table)).pending.length === 0) return
  context.progress.show('Merging the search index')
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
    try {
      return await updateIndex({ table, clock: nowMs, log: () => undefined })
    } catch (error) {
      // The index worker of the service merges as well.
      if (!(error instanceof ConditionFailed)) throw error
    }
  }
}

/** By kind and outcome. */
export function countsOf({ lines }: Report): Record<string, Partial<Record<Outcome, number>>> {
  const counts: ReturnType<typeof countsOf> = {}
  for (const { kind, outcome } of lines) {
    const ofKind = counts[kind] ?? {}
    ofKind[outcome] = (ofKind[outcome] ?? 0) + 1
    counts[kind] = ofKind
  }
  return counts
}

/** A line for each kind. */
export function summaryOf(report: Report): string[] {
  return Object.entries(countsOf(report)).map(([kind, counts]) => {
    const texts = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`)
    return `${kind}: ${texts.join(', ')}`
  })
}

/** `wrong`: a record that should have been imported. */
export function isWrong({ lines }: Report): boolean {
  return lines.some(({ outcome }) => outcome === 'wrong')
}
