// Where imported records came from, with the ids that they get: none is imported twice.
import * as z from 'zod/mini'
import { type Action, CONFLICT, isNew, setMembers, type WriteAction } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { slices } from '../table/concurrency.ts'
import { counterKey, originKey } from '../table/design.ts'
import type { Counter } from '../table/kinds.ts'
import { lastId } from '../table/next-id.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'

/** The meaning of a failed condition: another import made the record. */
export const ALREADY_IMPORTED = 'already-imported'

const OriginItem = z.object({
  pk: z.string(),
  /** The id of the record here; 0 for a kind without ids. */
  id: z.int(),
  /** Of the record as the source had it; empty until the record is written. */
  digest: z.string(),
})

/** `name`: of the source, and what that calls the record. Only its hash is stored: it may name a person. */
export type Origin = { name: string; id: number; digest: string }

/** Those that were reserved or imported, by name. */
export async function findOrigins(table: Table, names: string[]): Promise<Map<string, Origin>> {
  const items = await table.findMany(names.map(originKey))
  const stored = new Map(items.map(item => OriginItem.parse(item)).map(item => [item.pk, item]))
  return new Map(
    names.flatMap(name => {
      const item = stored.get(originKey(name).pk)
      return item ? [[name, { name, id: item.id, digest: item.digest }]] : []
    }),
  )
}

/** A transaction has 100 actions, one of which raises the counter. */
const AT_ONCE = 90

type Wanted = { name: string; id: number | undefined }

/**
 * Gives each record the id that it wants if the counter has not passed it, else a new one. An id that was
 * given is not given again, since what is left of a deleted record may name it. `wanted`: ascending.
 */
export async function reserveOrigins(
  table: Table,
  counter: Counter | undefined,
  wanted: Wanted[],
): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  for (const some of slices(wanted, AT_ONCE)) {
    await retryOnConflict(async () => {
      const [origins, given] = await Promise.all([
        findOrigins(
          table,
          some.map(({ name }) => name),
        ),
        counter ? lastId(table, counter) : 0,
      ])
      for (const { name, id } of origins.values()) ids.set(name, id)
      const missing = some.filter(({ name }) => !origins.has(name))
      if (missing.length === 0) return
      const added = counter ? dealIds(missing, given) : missing.map(({ name }) => ({ name, id: 0 }))
      const last = largest(
        given,
        added.map(({ id }) => id),
      )
      await table.transact([...(counter ? [raiseCounter(counter, given, last)] : []), ...added.map(reserve)])
      for (const { name, id } of added) ids.set(name, id)
    })
  }
  return ids
}

function largest(first: number, others: number[]): number {
  return others.reduce((most, id) => (id > most ? id : most), first)
}

function dealIds(wanted: Wanted[], given: number): { name: string; id: number }[] {
  const kept = new Set<number>()
  const keeps = wanted.map(({ id = 0 }) => {
    if (id <= given || kept.has(id)) return undefined
    kept.add(id)
    return id
  })
  let last = largest(given, [...kept])
  return wanted.map(({ name }, n) => ({ name, id: keeps[n] ?? ++last }))
}

function reserve({ name, id }: { name: string; id: number }): Action {
  const Put = { Item: { ...originKey(name), id, digest: '' }, ...isNew }
  return { onConditionFailed: CONFLICT, Put }
}

function raiseCounter(counter: Counter, given: number, last: number): Action {
  const isAsGiven =
    given === 0
      ? isNew
      : {
          ConditionExpression: '#last = :given',
          ExpressionAttributeNames: { '#last': 'last' },
          ExpressionAttributeValues: { ':given': given },
        }
  return {
    onConditionFailed: CONFLICT,
    Update: { Key: counterKey(counter), ...setMembers({ last }, isAsGiven) },
  }
}

/** Add this to the transaction that creates the record. Fails with ALREADY_IMPORTED. */
export function finishOrigin({ name, digest }: Origin): Action {
  const isReserved = {
    ConditionExpression: 'digest = :none',
    ExpressionAttributeValues: { ':none': '' },
  }
  const Update = { Key: originKey(name), ...setMembers({ digest }, isReserved) }
  return { onConditionFailed: ALREADY_IMPORTED, Update }
}

/** Written after an update: one that is interrupted between both is repeated. */
export function renewOrigin({ name, id, digest }: Origin): WriteAction {
  return { Update: { Key: originKey(name), ...setMembers({ id, digest }) } }
}
