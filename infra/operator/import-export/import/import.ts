// Imports the records of a source, eight at a time. Each reserves its id under its origin, and ends that in
// its own transaction: none comes twice, whenever a run is killed.
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../../../../shared/http/errors.ts'
import { publicUrl } from '../../../../shared/posts/events.ts'
import { readIndexState } from '../../../../shared/search/index-state.ts'
import { updateIndex } from '../../../../shared/search/update-index.ts'
import { ConditionFailed, ignoreConditionFailed } from '../../../../shared/table/action.ts'
import { findItems } from '../../../../shared/table/client.ts'
import { mapConcurrently } from '../../../../shared/table/concurrency.ts'
import { retryOnConflict } from '../../../../shared/table/retry-on-conflict.ts'
import { openEstimate } from '../../terminal.ts'
import { type ExportRecord, keyOf, kindOf, labelOf, type RecordType } from '../format.ts'
import { COMMUNITY } from '../kinds/community.ts'
import { CONTENT } from '../kinds/content.ts'
import { DOUBLED, type Entry, Skip, type Source } from '../sources/source.ts'
import { type ImportContext, type ImportJob, type ImportOptions, type Kind, openJob } from './job.ts'
import { findOrigins, MOST_AT_ONCE, renewOrigin, reserveIds } from './origins.ts'

type Outcome = 'made' | 'updated' | 'skipped' | 'wrong'

export type ReportLine = {
  outcome: Outcome
  kind: string
  id?: number | undefined
  label: string
  /** Why it was skipped, or what of it did not fit. */
  reason?: string | undefined
}

/** What an import did with each record, and the paths here of public posts by their old addresses. */
export type Report = { lines: ReportLine[]; redirects: Map<string, string> }

const KINDS = new Map<RecordType, Kind>([...CONTENT, ...COMMUNITY].map(kind => [kind.type, kind]))
const AT_ONCE = 8
/** Markers of more pending posts would slow down the searches during the import. */
const INDEX_EVERY = 1_920

export async function importSource(
  context: ImportContext,
  source: Source,
  options: ImportOptions,
): Promise<Report> {
  const job = await openJob(context, source, options)
  const report: Report = { lines: [], redirects: new Map() }
  const left = openEstimate(() => performance.now())
  let [done, unmerged] = [0, 0]
  try {
    for await (const { type, entries } of batchesOf(source, report)) {
      const kind = KINDS.get(type)
      if (kind) await importBatch(job, kind, entries, report)
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
  return report
}

/** Records of one type at a time, each once. Reports what cannot be imported. */
async function* batchesOf(source: Source, { lines }: Report) {
  const seen = new Set<string>()
  let batch: { type: RecordType; entries: Entry[] } | undefined
  for await (const read of source.entries()) {
    if ('outcome' in read) {
      lines.push(read)
      continue
    }
    const { record } = read
    const key = `${source.name} ${read.key}`
    if (seen.has(key)) {
      lines.push({ outcome: 'skipped', kind: kindOf(record), label: labelOf(record), reason: DOUBLED })
      continue
    }
    seen.add(key)
    if (batch && (batch.type !== record.type || batch.entries.length >= MOST_AT_ONCE)) {
      yield batch
      batch = undefined
    }
    batch ??= { type: record.type, entries: [] }
    batch.entries.push({ ...read, key })
  }
  if (batch) yield batch
}

async function importBatch(job: ImportJob, kind: Kind, entries: Entry[], report: Report): Promise<void> {
  const known = await patiently(() => findKnown(job, kind, entries))
  await mapConcurrently(known, AT_ONCE, async ([entry, here]) => {
    // Records that follow may refer to it, whatever becomes of its update.
    note(job, report, entry, { id: here.id, ...(await attempt(() => update(job, kind, entry, here))) })
  })
  const others = entries.filter(entry => !known.has(entry))
  // After the updates, which may give up a lock.
  const owners = await patiently(() => findOwners(job, kind, others))
  for (const [entry, { id, reason }] of owners) note(job, report, entry, { outcome: 'skipped', id, reason })
  const missing = others.filter(entry => !owners.has(entry))
  if (job.options.dryRun) {
    for (const entry of missing) note(job, report, entry, { outcome: 'made' })
    return
  }
  const wanted = missing.map(({ key, record }) => ({ key, id: idIn(record) }))
  const ids = await patiently(() => reserveIds(job.table, kind.counter, wanted))
  // Comments of a post follow one after the other, since a reply needs the one above it.
  const groups = Map.groupBy(missing, ({ record, key }) =>
    record.type === 'comment' ? record.post_id : record.type === 'reply' ? record.ticket_id : key,
  )
  await mapConcurrently(groups.values(), AT_ONCE, async group => {
    for (const entry of group) {
      note(job, report, entry, await attempt(() => create(job, kind, entry, ids.get(entry.key) ?? 0)))
    }
  })
}

function idIn(record: ExportRecord): number {
  return 'id' in record ? record.id : 0
}

/** `digest`: of what was imported; undefined for another record that takes its place, and stays as it is. */
type Here = { id: number; reason: string; digest?: string }

/** What is here: imported before, or by its own id if the source is an export of this site. */
async function findKnown(job: ImportJob, kind: Kind, entries: Entry[]): Promise<Map<Entry, Here>> {
  const { table, isOwnSite } = job
  const origins = await findOrigins(
    table,
    entries.map(({ key }) => key),
  )
  const ids = entries.map(({ record }) => (record.type === 'reply' ? record.ticket_id : idIn(record)))
  const records = isOwnSite ? await kind.read(table, [...new Set(ids)], false) : []
  const keys = new Set(records.map(record => keyOf({ ...record, type: kind.type })))
  const known = new Map<Entry, Here>()
  for (const entry of entries) {
    const { id = 0, digest } = origins.get(entry.key) ?? {}
    if (digest) {
      known.set(entry, { id, digest, reason: 'Was imported before.' })
    } else if (keys.has(keyOf(entry.record))) {
      known.set(entry, { id: idIn(entry.record), digest: '', reason: 'Is here already.' })
    }
  }
  return known
}

/** The records whose locks, such as that of a slug, the entries would need. */
async function findOwners({ table }: ImportJob, kind: Kind, entries: Entry[]): Promise<Map<Entry, Here>> {
  const keys = entries.flatMap(({ record }) => kind.lock?.(record) ?? [])
  const lockOf = await findItems(table, keys)
  return new Map(
    entries.flatMap((entry, n) => {
      const lock = keys[n] && lockOf(keys[n])
      const owner = lock && kind.ownerOf?.(lock)
      return owner ? [[entry, owner]] : []
    }),
  )
}

type Result = Pick<ReportLine, 'outcome' | 'id' | 'reason'>

function note(job: ImportJob, report: Report, entry: Entry, { outcome, id, reason }: Result): void {
  const { record, notes, oldAddresses = [] } = entry
  const isMade = outcome === 'made'
  // Records that follow may refer to it, in a dry run as well.
  if ('id' in record && (id || isMade)) job.ids.set(`${record.type}:${record.id}`, id ?? record.id)
  const isWritten = isMade || outcome === 'updated'
  const reasons = [...new Set(isWritten ? notes : []), ...(reason ? [reason] : [])].join(' ')
  const line = { outcome, kind: kindOf(record), id: id || undefined, label: labelOf(record) }
  report.lines.push({ ...line, reason: reasons || undefined })
  if (record.type !== 'post' || outcome === 'wrong' || !record.is_published) return
  const to = publicUrl(record, '')
  for (const from of oldAddresses) {
    if (from.replace(/\/$/, '') !== to && !report.redirects.has(from)) report.redirects.set(from, to)
  }
}

async function update(job: ImportJob, kind: Kind, entry: Entry, here: Here): Promise<Result> {
  const { id, digest, reason } = here
  const { options, table } = job
  const isSame = digest === undefined || digest === entry.digest
  if (!options.update || isSame || !kind.update) return { outcome: 'skipped', id, reason }
  if (!options.dryRun) {
    await kind.update(job, entry, id)
    await table.write(renewOrigin(entry, id))
  }
  return { outcome: 'updated', id }
}

async function create(job: ImportJob, kind: Kind, entry: Entry, id: number): Promise<Result> {
  let isAgain = false
  const write = async (): Promise<Result> => {
    // After a conflict, since another import may have made it.
    const origins = isAgain ? await findOrigins(job.table, [entry.key]) : undefined
    if (origins?.get(entry.key)?.digest) return { outcome: 'skipped', id, reason: 'Was imported before.' }
    isAgain = true
    await kind.create(job, entry, id, job.work(entry))
    return { outcome: 'made', id }
  }
  try {
    return await retryOnConflict(write)
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    // Something else made it, or took its place, at the same time.
    const [known, owners] = await Promise.all([findKnown(job, kind, [entry]), findOwners(job, kind, [entry])])
    const here = known.get(entry) ?? owners.get(entry)
    if (!here) throw error
    return { outcome: 'skipped', id: here.id, reason: here.reason }
  }
}

/** What became of a record, also when only it failed. */
async function attempt(act: () => Promise<Result>): Promise<Result> {
  try {
    return await patiently(act)
  } catch (error) {
    if (error instanceof Skip) return { outcome: 'skipped', reason: error.message }
    // The database takes no item of more than 400 kB.
    if (error instanceof Error && error.name === 'ValidationException') {
      return { outcome: 'wrong', reason: error.message }
    }
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'NOT_FOUND') return { outcome: 'skipped', reason: 'Was deleted here.' }
    if (error.code === 'VALIDATION_ERROR') return { outcome: 'wrong', reason: reasonOf(error) }
    throw error
  }
}

/** `slug: Is already taken.` */
function reasonOf({ fields, message }: ApiError): string {
  const texts = Object.entries(fields ?? {}).map(([name, faults]) => `${name}: ${faults.join(' ')}`)
  return texts.length > 0 ? texts.join(' ') : message
}

const [MAX_ATTEMPTS, PAUSE_MS] = [30, 1_000]

/** Asks a service again that has too much to do: no caller waits, and a run that ended would start over. */
async function patiently<T>(act: () => Promise<T>, attempts = MAX_ATTEMPTS): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const isBusy = error instanceof ApiError && error.code === 'UNAVAILABLE'
    if (!isBusy || attempts === 1) throw error
  }
  await pause(PAUSE_MS)
  return await patiently(act, attempts - 1)
}

async function mergeIndex({ table, nowMs, options, progress }: ImportJob): Promise<void> {
  if (options.dryRun || (await readIndexState(table)).pending.length === 0) return
  progress.show('Merging the search index')
  // If the index worker of the service comes first each time, it merges these posts as well.
  await updateIndex({ table, clock: nowMs }).catch(ignoreConditionFailed)
}

/** By kind and outcome. */
export function countsOf({ lines }: Report): Record<string, Partial<Record<Outcome, number>>> {
  const counts: ReturnType<typeof countsOf> = {}
  for (const { kind, outcome } of lines) {
    counts[kind] = { ...counts[kind], [outcome]: (counts[kind]?.[outcome] ?? 0) + 1 }
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
