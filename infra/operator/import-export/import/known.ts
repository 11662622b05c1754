// Items that are here already: those of an earlier run, and those of an export of this very site.
import { ApiError } from '../../../../shared/http/errors.ts'
import { findOrigins, type Origin, renewOrigin } from '../../../../shared/imports/origins.ts'
import type { Item } from '../item.ts'
import { bind } from './bind.ts'
import { digestOf, type ImportJob, originNameOf } from './job.ts'
import { reasonOf } from './maker.ts'

/** Updates or skips those that are here, and returns the others. */
export async function settleKnown(job: ImportJob, items: Item[], isOwnSite: boolean): Promise<Item[]> {
  const origins = await findOrigins(
    job.table,
    items.map(item => originNameOf(job, item)),
  )
  const rest = items.filter(item => !origins.has(originNameOf(job, item)))
  const present = isOwnSite ? await findPresent(job, rest) : new Set<Item>()
  const unknown: Item[] = []
  for (const item of items) {
    const origin = origins.get(originNameOf(job, item))
    if (origin) {
      await settle(job, item, origin, 'Was imported before.')
    } else if (present.has(item)) {
      const own: Origin = { name: originNameOf(job, item), id: item.id ?? 0, digest: '' }
      await settle(job, item, own, 'Is here already.')
    } else {
      unknown.push(item)
    }
  }
  return unknown
}

/** The items whose records are here under their own ids. */
async function findPresent({ table }: ImportJob, items: Item[]): Promise<Set<Item>> {
  const keyed = items.flatMap(item => {
    const key = item.id !== undefined && bind(item).keyOf?.(item.id)
    return key ? [{ item, key }] : []
  })
  const found = await table.findMany(keyed.map(({ key }) => key))
  const texts = new Set(found.map(({ pk, sk }) => `${pk} ${sk}`))
  const present = keyed.filter(({ key: { pk, sk } }) => texts.has(`${pk} ${sk}`)).map(({ item }) => item)
  return new Set([...present, ...items.filter(({ kind }) => kind === 'settings')])
}

async function settle(job: ImportJob, item: Item, origin: Origin, reason: string): Promise<void> {
  const { report, options, ids, table } = job
  const { id } = origin
  const { label } = item
  const kind = kindOf(item)
  ids.set(item.key, id)
  const { update, complete } = bind(item)
  const digest = digestOf(item)
  const skip = (why: string) =>
    report.add({ outcome: 'skipped', kind, id: id || undefined, label, reason: why })
  if (!options.update || digest === origin.digest) {
    if (!options.dryRun) await complete?.(job, id)
    return skip(reason)
  }
  if (!update) return skip(`${reason} A ${kind} is never updated.`)
  try {
    if (!options.dryRun) {
      await update(job, id)
      await table.write(renewOrigin({ ...origin, digest }))
      await complete?.(job, id)
    }
    report.add({ outcome: 'updated', kind, id: id || undefined, label })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'NOT_FOUND') return skip('Was deleted here.')
    if (error.code !== 'VALIDATION_ERROR') throw error
    report.add({ outcome: 'wrong', kind, id: id || undefined, label, reason: reasonOf(error) })
  }
}

export function kindOf(item: Item): string {
  return item.kind === 'post' ? item.value.content_type : item.kind
}
