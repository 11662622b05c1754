// Imports the records of a source, eight at a time. Each reserves its id under its origin, and ends that in
// its own transaction: none comes twice, whenever a run is killed.
import { ApiError } from '../../../../shared/http/errors.ts'
import {
  ALREADY_IMPORTED,
  findOrigins,
  type Origin,
  renewOrigin,
  reserveOrigins,
} from '../../../../shared/imports/origins.ts'
import { findSiteId } from '../../../../shared/imports/site-id.ts'
import { findPostWithText } from '../../../../shared/posts/store/bodies.ts'
import { readIndexState } from '../../../../shared/search/index-state.ts'
import { updateIndex } from '../../../../shared/search/update-index.ts'
import { ConditionFailed } from '../../../../shared/table/action.ts'
import { mapConcurrently } from '../../../../shared/table/concurrency.ts'
import { failedAs } from '../../../../shared/table/conditions.ts'
import { retryOnConflict } from '../../../../shared/table/retry-on-conflict.ts'
import type { Context } from '../../command.ts'
import { openEstimate } from '../../estimate.ts'
import type { ExportRecord, RecordOf, RecordType } from '../format.ts'
import { type Entry, labelOf, type Source } from '../sources/source.ts'
import { commitOf, type ImportJob, type ImportOptions, openJob, reasonOf, Skip, type Writer } from './job.ts'
import { openReport, type Report, type ReportLine } from './report.ts'
import { COMMENTS, SUBMISSIONS, SUBSCRIBERS, TICKETS } from './write-community.ts'
import { POSTS, publicPath } from './write-posts.ts'
import { CATEGORIES, MENUS, SETTINGS, USERS, WEBHOOKS } from './write-site.ts'

const AT_ONCE = 8
const BATCH = 96
/** Markers of more pending posts would slow down the searches during the import. */
const INDEX_EVERY = 1_920

export async function importSource(
  context: Context,
  source: Source,
  options: ImportOptions,
): Promise<Report> {
  const report = openReport()
  const job = openJob(context, { options, source: source.name, report })
  const isOwnSite = source.site !== undefined && source.site === (await findSiteId(job.table))
  const left = openEstimate(() => performance.now())
  let [done, unmerged] = [0, 0]
  try {
    for await (const batch of batchesOf(source, report)) {
      await importBatch(job, batch, isOwnSite)
      const [{ type } = { type: 'record' }] = batch.map(({ record }) => record)
      done += batch.length
      unmerged += type === 'post' ? batch.length : 0
      context.progress.show(
        `Imported ${done} of ${source.count} records${left(done, source.count)}, now: ${type}`,
      )
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
async function* batchesOf(source: Source, report: Report): AsyncGenerator<Entry[]> {
  const seen = new Set<string>()
  let batch: Entry[] = []
  for await (const entry of source.entries()) {
    if ('problem' in entry) {
      const { kind, label, problem, isWrong } = entry
      report.add({ outcome: isWrong ? 'wrong' : 'skipped', kind, label, reason: problem })
      continue
    }
    if (seen.has(entry.key)) {
      const reason = 'Its id is that of an earlier record of the source.'
      report.add({ outcome: 'skipped', kind: kindOf(entry.record), label: labelOf(entry.record), reason })
      continue
    }
    seen.add(entry.key)
    if (batch.length >= BATCH || (batch[0] && batch[0].record.type !== entry.record.type)) {
      yield batch
      batch = []
    }
    batch.push(entry)
  }
  if (batch.length > 0) yield batch
}

function kindOf(record: ExportRecord): string {
  return record.type === 'post' ? record.content_type : record.type
}

/** Calls `act` with the entries as those of their type, and the writer of it. */
function importBatch(job: ImportJob, batch: Entry[], isOwnSite: boolean): Promise<void> {
  const of = <Type extends RecordType>(type: Type, writer: Writer<RecordOf<Type>>) =>
    importAll(job, batch.filter(isOfType(type)), writer, isOwnSite)
  switch (batch[0]?.record.type) {
    case 'settings':
      return of('settings', SETTINGS)
    case 'menu':
      return of('menu', MENUS)
    case 'category':
      return of('category', CATEGORIES)
    case 'user':
      return of('user', USERS)
    case 'post':
      return of('post', POSTS)
    case 'comment':
      return of('comment', COMMENTS)
    case 'ticket':
      return of('ticket', TICKETS)
    case 'subscriber':
      return of('subscriber', SUBSCRIBERS)
    case 'submission':
      return of('submission', SUBMISSIONS)
    case 'webhook':
      return of('webhook', WEBHOOKS)
    default:
      return Promise.resolve()
  }
}

function isOfType<Type extends RecordType>(type: Type) {
  return (entry: Entry): entry is Entry<RecordOf<Type>> => entry.record.type === type
}

async function importAll<Record extends ExportRecord>(
  job: ImportJob,
  entries: Entry<Record>[],
  writer: Writer<Record>,
  isOwnSite: boolean,
): Promise<void> {
  const nameOf = ({ key }: Entry) => `${job.source} ${key}`
  const origins = await findOrigins(job.table, entries.map(nameOf))
  const unknown: Entry<Record>[] = []
  await mapConcurrently(entries, AT_ONCE, async entry => {
    const origin = origins.get(nameOf(entry))
    if (origin && origin.digest !== '') {
      return await treatKnown(job, writer, entry, origin, 'Was imported before.')
    }
    if (isOwnSite && (await writer.isHere(job, entry.record))) {
      const own = { name: nameOf(entry), id: idIn(entry.record), digest: '' }
      return await treatKnown(job, writer, entry, own, 'Is here already.')
    }
    const match = await writer.find?.(job, entry.record)
    if (!match) {
      unknown.push(entry)
    } else {
      add(job, entry, { outcome: 'skipped', id: match.id || undefined, reason: match.reason })
    }
  })
  unknown.sort((a, b) => idIn(a.record) - idIn(b.record))
  if (job.options.dryRun) {
    for (const entry of unknown) treatDry(job, entry)
    return
  }
  const wanted = unknown.map(entry => ({
    name: nameOf(entry),
    id: entry.keepsId ? idIn(entry.record) : undefined,
  }))
  const ids = await reserveOrigins(job.table, writer.counter, wanted)
  // Comments of a post follow one after the other, since a reply needs the one above it.
  const groups = Map.groupBy(unknown, ({ record, key }) => (record.type === 'comment' ? record.post_id : key))
  await mapConcurrently(groups.values(), AT_ONCE, async group => {
    for (const entry of group) {
      const name = nameOf(entry)
      await create(job, writer, entry, { name, id: ids.get(name) ?? 0, digest: entry.digest })
    }
  })
}

function idIn(record: ExportRecord): number {
  return 'id' in record ? record.id : 0
}

function add(job: ImportJob, entry: Entry, line: Omit<ReportLine, 'kind' | 'label'>): void {
  const { record, notes, oldAddresses = [] } = entry
  const { outcome, id, reason } = line
  if (id !== undefined && 'id' in record) job.ids.set(`${record.type}:${record.id}`, id)
  const reasons = outcome === 'made' ? [...notes, ...(reason ? [reason] : [])] : [reason ?? '']
  job.report.add({
    ...line,
    kind: kindOf(record),
    label: labelOf(record),
    reason: reasons.join(' ') || undefined,
  })
  if (record.type !== 'post' || outcome === 'wrong' || !record.is_published) return
  const to = publicPath(record)
  for (const from of oldAddresses) if (!isSamePath(from, to)) job.report.redirect({ from, to })
}

function isSamePath(a: string, b: string): boolean {
  return a.replace(/\/$/, '') === b
}

/** What follows may refer to it. */
function treatDry(job: ImportJob, entry: Entry): void {
  add(job, entry, { outcome: 'made' })
  const { record } = entry
  if ('id' in record) job.ids.set(`${record.type}:${record.id}`, record.id)
}

async function create<Record extends ExportRecord>(
  job: ImportJob,
  writer: Writer<Record>,
  entry: Entry<Record>,
  origin: Origin,
): Promise<void> {
  const { id } = origin
  try {
    await retryOnConflict(() => writer.create(job, entry, id, commitOf(job, origin)))
    add(job, entry, { outcome: 'made', id: id || undefined })
    await writer.complete?.(job, entry, id)
  } catch (error) {
    if (error instanceof Skip) return add(job, entry, { outcome: 'skipped', reason: error.message })
    if (failedAs(error, ALREADY_IMPORTED)) {
      return add(job, entry, { outcome: 'skipped', reason: 'Another import made it at the same time.' })
    }
    const match = error instanceof ConditionFailed && (await writer.find?.(job, entry.record))
    if (match) return add(job, entry, { outcome: 'skipped', id: match.id || undefined, reason: match.reason })
    if (!isRefused(error)) throw error
    add(job, entry, { outcome: 'wrong', reason: error instanceof ApiError ? reasonOf(error) : error.message })
  }
}

/** By the rules of the service, or by the database, which takes no item of more than 400 kB. */
function isRefused(error: unknown): error is Error {
  if (error instanceof ApiError) return error.code === 'VALIDATION_ERROR'
  return error instanceof Error && error.name === 'ValidationException'
}

async function treatKnown<Record extends ExportRecord>(
  job: ImportJob,
  writer: Writer<Record>,
  entry: Entry<Record>,
  origin: Origin,
  reason: string,
): Promise<void> {
  const { options, table } = job
  const id = origin.id || undefined
  const complete = async () => (options.dryRun ? undefined : await writer.complete?.(job, entry, origin.id))
  if (!options.update || entry.digest === origin.digest) {
    add(job, entry, { outcome: 'skipped', id, reason })
    return await complete()
  }
  if (!writer.update) {
    add(job, entry, {
      outcome: 'skipped',
      id,
      reason: `${reason} A ${kindOf(entry.record)} is never updated.`,
    })
    return
  }
  try {
    if (!options.dryRun) {
      await writer.update(job, entry, origin.id)
      await table.write(renewOrigin({ ...origin, digest: entry.digest }))
    }
    add(job, entry, { outcome: 'updated', id })
    await complete()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'NOT_FOUND') {
      return add(job, entry, { outcome: 'skipped', id, reason: 'Was deleted here.' })
    }
    if (error.code !== 'VALIDATION_ERROR') throw error
    add(job, entry, { outcome: 'wrong', id, reason: reasonOf(error) })
  }
}

const MAX_CONFLICTS = 20

async function mergeIndex({ table, nowMs, options, context }: ImportJob): Promise<void> {
  if (options.dryRun || (await readIndexState(table)).pending.length === 0) return
  context.progress.show('Merging the search index')
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
    try {
      return await updateIndex({ table, clock: nowMs, log: () => undefined, findText: findPostWithText })
    } catch (error) {
      // The index worker of the service merges as well.
      if (!(error instanceof ConditionFailed)) throw error
    }
  }
}
