// Where imported records came from. Each is claimed by a condition, so that none is imported twice.
import * as z from 'zod/mini'
import type { Action, WriteAction } from '../table/action.ts'
import { setMembers } from '../table/change.ts'
import type { Table } from '../table/client.ts'
import { isNew } from '../table/conditions.ts'
import { originKey } from '../table/design.ts'

/** The meaning of a failed claim: the record was imported already. */
export const ALREADY_IMPORTED = 'already-imported'

const OriginItem = z.object({
  pk: z.string(),
  /** The id of the record here; 0 for a kind without ids. */
  id: z.int(),
  /** Of the record as the source had it. */
  digest: z.string(),
})

/** `name`: of the source, and what that calls the record. Only its hash is stored: it may name a person. */
export type Origin = { name: string; id: number; digest: string }

/** Those that were imported, by name. */
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

/** Add this to the transaction that creates the record. Fails with ALREADY_IMPORTED. */
export function claimOrigin(origin: Origin): Action {
  return { onConditionFailed: ALREADY_IMPORTED, Put: { Item: itemOf(origin), ...isNew } }
}

/** Written after an update: one that is interrupted between both is repeated. */
export function renewOrigin(origin: Origin): WriteAction {
  const { name, id, digest } = origin
  return { Update: { Key: originKey(name), ...setMembers({ id, digest }) } }
}

function itemOf({ name, id, digest }: Origin) {
  return { ...originKey(name), id, digest }
}
