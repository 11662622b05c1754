// Imports a source: each record in a transaction with the claim of its origin, so that none comes twice.
import { findImport, type Import, reserveIds } from '../../../../shared/imports/reserved-ids.ts'
import { findSiteId } from '../../../../shared/imports/site-id.ts'
import type { Table } from '../../../../shared/table/client.ts'
import { COUNTERS } from '../../../../shared/table/kinds.ts'
import type { Context } from '../../command.ts'
import { openEstimate } from '../../estimate.ts'
import type { Item, PostItem, Source, Unusable } from '../item.ts'
import { bind } from './bind.ts'
import { openImportIndex } from './import-index.ts'
import { type ImportJob, type ImportOptions, openJob } from './job.ts'
import { settleKnown } from './known.ts'
import { openPosts, type Posts } from './posts.ts'
import { openReport, type Report } from './report.ts'

/** Throws OperatorError if the source is incomplete, after all that it contains was imported. */
export async function importSource(
  context: Context,
  source: Source,
  options: ImportOptions,
): Promise<Report> {
  const { table } = context.target
  const report = openReport()
  const reserved = await reserve(table, source, options.dryRun)
  const job = openJob(context, { options, source, report, reserved })
  const isOwnSite = source.site !== undefined && source.site === (await findSiteId(table))
  const index = openImportIndex(job)
  try {
    const posts = openPosts(job, index)
    await importItems(job, posts, isOwnSite).finally(posts.flush)
    return report
  } finally {
    await (options.dryRun ? Promise.resolve() : index.finish()).finally(index.close)
  }
}

/** The ids up to the largest one of the source. A dry run reserves none. */
async function reserve(table: Table, source: Source, dryRun: boolean): Promise<Import> {
  if (!dryRun) {
    for (const counter of COUNTERS) {
      const last = source.lastIds[counter] ?? 0
      if (last > 0) await reserveIds(table, source.name, counter, last)
    }
  }
  return (await findImport(table, source.name)) ?? { reserved: {}, revision: 0 }
}

async function importItems(job: ImportJob, posts: Posts, isOwnSite: boolean): Promise<void> {
  const { source, report, context } = job
  const left = openEstimate(() => performance.now())
  let done = 0
  for await (const batch of batchesOf(source.items(), report)) {
    const unknown = await settleKnown(job, batch, isOwnSite)
    const isPosts = batch[0]?.kind === 'post'
    // What follows may refer to posts that are still to be written.
    if (!isPosts) await posts.flush()
    await posts.add(unknown.filter(isPost))
    for (const item of unknown) await bind(item).make?.(job)
    done += batch.length
    const of = source.count === undefined ? '' : ` of ${source.count}${left(done, source.count)}`
    context.progress.show(`Imported ${done}${of} records, now: ${batch[0]?.kind}`)
  }
}

function isPost(item: Item): item is PostItem {
  return item.kind === 'post'
}

const ITEMS_AT_ONCE = 100

/** Items of one kind at a time. Reports what cannot be imported. */
async function* batchesOf(items: AsyncIterable<Item | Unusable>, report: Report): AsyncGenerator<Item[]> {
  let batch: Item[] = []
  for await (const item of items) {
    if ('problem' in item) {
      const { kind, label, problem, isWrong } = item
      report.add({ outcome: isWrong ? 'wrong' : 'skipped', kind, label, reason: problem })
      continue
    }
    if (batch.length >= ITEMS_AT_ONCE || (batch[0] && batch[0].kind !== item.kind)) {
      yield batch
      batch = []
    }
    batch.push(item)
  }
  if (batch.length > 0) yield batch
}
