// Where imported records came from, with the ids that they get: none is imported twice. And the id of a site.
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import {
  type Action,
  CONFLICT,
  ignoreConditionFailed,
  isNew,
  setMembers,
  type WriteAction,
} from '../../../../shared/table/action.ts'
import { findItems, type Table } from '../../../../shared/table/client.ts'
import { counterKey, originKey, siteIdKey } from '../../../../shared/table/design.ts'
import type { Counter } from '../../../../shared/table/kinds.ts'
import { lastId } from '../../../../shared/table/next-id.ts'
import { retryOnConflict } from '../../../../shared/table/retry-on-conflict.ts'
import type { Entry } from '../sources/source.ts'

/** Stored under the hash of an entry's key, since the key may name a person. */
const Origin = z.object({
  /** The id of the record here; 0 for a kind without ids. */
  id: z.int(),
  /** The digest of the record as the source had it; empty until the record is written. */
  digest: z.string(),
})
export type Origin = z.infer<typeof Origin>

/** Those that were reserved or imported, by the keys of their entries. */
export async function findOrigins(table: Table, keys: string[]): Promise<Map<string, Origin>> {
  const itemOf = await findItems(table, keys.map(originKey))
  return new Map(
    keys.flatMap(key => {
      const item = itemOf(originKey(key))
      return item ? [[key, Origin.parse(item)]] : []
    }),
  )
}

/** A transaction has 100 actions, one of which raises the counter. */
export const MOST_AT_ONCE = 90
/** A larger id is not kept, because a rebuild of the index reads every id up to the largest one. */
const LARGEST_ID = 10_000_000

/** `id`: 0 for a kind without ids. */
type WantedId = { key: string; id: number }

/**
 * Gives each record the id that it wants if the counter has not passed it, else a new one: what is left of a
 * deleted record may name an id that was given. `wanted`: at most MOST_AT_ONCE, no two the same.
 */
export function reserveIds(
  table: Table,
  counter: Counter | undefined,
  wanted: WantedId[],
): Promise<Map<string, number>> {
  const keys = wanted.map(({ key }) => key)
  return retryOnConflict(async () => {
    const [origins, given] = await Promise.all([
      findOrigins(table, keys),
      counter ? lastId(table, counter) : 0,
    ])
    const missing = wanted.filter(({ key }) => !origins.has(key))
    const isKept = (id: number) => id > given && id <= LARGEST_ID
    let last = missing.reduce((most, { id }) => (isKept(id) ? Math.max(most, id) : most), given)
    const idFor = (id: number) => (!counter || isKept(id) ? id : ++last)
    const added = missing.map(({ key, id }) => ({ key, id: idFor(id) }))
    if (added.length > 0) {
      await table.transact([...(counter ? [raiseCounter(counter, given, last)] : []), ...added.map(reserve)])
    }
    const ids = new Map(added.map(({ key, id }) => [key, id]))
    for (const [key, { id }] of origins) ids.set(key, id)
    return ids
  })
}

function reserve({ key, id }: WantedId): Action {
  return { onConditionFailed: CONFLICT, Put: { Item: { ...originKey(key), id, digest: '' }, ...isNew } }
}

function raiseCounter(counter: Counter, given: number, last: number): Action {
  const isAsGiven = {
    ConditionExpression: 'attribute_not_exists(#last) OR #last = :given',
    ExpressionAttributeNames: { '#last': 'last' },
    ExpressionAttributeValues: { ':given': given },
  }
  const Update = { Key: counterKey(counter), ...setMembers({ last }, isAsGiven) }
  return { onConditionFailed: CONFLICT, Update }
}

/** Add this to the transaction that creates the record. Fails if another import made it. */
export function finishOrigin({ key, digest }: Entry): Action {
  const isReserved = {
    ConditionExpression: 'digest = :none',
    ExpressionAttributeValues: { ':none': '' },
  }
  return { Update: { Key: originKey(key), ...setMembers({ digest }, isReserved) } }
}

/** Written after an update: one that is interrupted between both is repeated. */
export function renewOrigin({ key, digest }: Entry, id: number): WriteAction {
  return { Update: { Key: originKey(key), ...setMembers({ id, digest }) } }
}

const SiteId = z.object({ id: z.string() })

/** A random name that the exports of a site contain. */
export async function findSiteId(table: Table): Promise<string | undefined> {
  return (await table.find(siteIdKey, SiteId))?.id
}

/** Gives the site an id if it has none. */
export async function ensureSiteId(table: Table): Promise<string> {
  const id = await findSiteId(table)
  if (id !== undefined) return id
  const Put = { Item: { ...siteIdKey, id: randomUUID() }, ...isNew }
  await table.write({ Put }).catch(ignoreConditionFailed)
  return await ensureSiteId(table)
}
