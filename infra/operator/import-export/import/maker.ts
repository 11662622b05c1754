// How records of one kind are imported, and the one way in which all but posts are written.

import type { Change } from '../../../../shared/events/unit-of-work.ts'
import { ApiError } from '../../../../shared/http/errors.ts'
import { ALREADY_IMPORTED, claimOrigin } from '../../../../shared/imports/origins.ts'
import { ConditionFailed } from '../../../../shared/table/action.ts'
import { failedAs } from '../../../../shared/table/conditions.ts'
import type { Key } from '../../../../shared/table/key.ts'
import type { Counter } from '../../../../shared/table/kinds.ts'
import { retryOnConflict } from '../../../../shared/table/retry-on-conflict.ts'
import type { Item } from '../item.ts'
import { type ImportJob, idFor, originOf } from './job.ts'

/** Thrown for a record that cannot be imported for a reason that is no mistake. */
export class Skip extends Error {}

export type Match = { id: number; reason: string }

export type Maker<I extends Item> = {
  counter?: Counter
  /** The key of the record with this id, by which the own export of this site is recognised. */
  keyOf?: (id: number) => Key
  /** A record that is here already and takes the place of the item. */
  find?: (job: ImportJob, item: I) => Promise<Match | undefined>
  /** Throws Skip if the record cannot be imported. */
  check?: (job: ImportJob, item: I) => void
  /** What writes the record. Runs again after a conflict. Throws Skip. */
  change: (job: ImportJob, item: I, id: number) => Promise<Change>
  /** Overwrites the record. Throws Skip if it is not here any more. Undefined: never updated. */
  update?: (job: ImportJob, item: I, id: number) => Promise<void>
  /** Called after the record was written, and again for one that an earlier import made. */
  complete?: (job: ImportJob, item: I, id: number) => Promise<void>
}

export async function make<I extends Item>(job: ImportJob, maker: Maker<I>, item: I): Promise<void> {
  const { report, options, ids } = job
  const { kind, label, notes } = item
  const note = notes?.join(' ')
  const match = await maker.find?.(job, item)
  if (match) {
    ids.set(item.key, match.id)
    report.add({ outcome: 'skipped', kind, id: match.id, label, reason: match.reason })
    return
  }
  try {
    maker.check?.(job, item)
    if (options.dryRun) {
      ids.set(item.key, item.id ?? DRY_ID)
      report.add({ outcome: 'made', kind, label, reason: note })
      return
    }
    const id = maker.counter ? await idFor(job, maker.counter, item.id) : 0
    await commit(job, maker, item, id)
    ids.set(item.key, id)
    await maker.complete?.(job, item, id)
    report.add({ outcome: 'made', kind, id: id || undefined, label, reason: note })
  } catch (error) {
    if (error instanceof Skip) {
      report.add({ outcome: 'skipped', kind, label, reason: error.message })
    } else if (failedAs(error, ALREADY_IMPORTED)) {
      report.add({ outcome: 'skipped', kind, label, reason: 'Another import made it at the same time.' })
    } else if (error instanceof ApiError && error.code === 'VALIDATION_ERROR') {
      report.add({ outcome: 'wrong', kind, label, reason: reasonOf(error) })
    } else if (error instanceof ConditionFailed && (await maker.find?.(job, item))) {
      await make(job, maker, item)
    } else {
      throw error
    }
  }
}

/** In a dry run, of a record that would get a new id. No record has it. */
const DRY_ID = Number.MAX_SAFE_INTEGER

async function commit<I extends Item>(job: ImportJob, maker: Maker<I>, item: I, id: number): Promise<void> {
  await retryOnConflict(async () => {
    const change = await maker.change(job, item, id)
    const actions = [claimOrigin(originOf(job, item, id)), ...change.actions]
    await job.work().commit({ ...change, actions })
  })
}

/** `slug: Is already taken.` */
export function reasonOf({ fields, message }: ApiError): string {
  const texts = Object.entries(fields ?? {}).map(([name, faults]) => `${name}: ${faults.join(' ')}`)
  return texts.length > 0 ? texts.join(' ') : message
}
