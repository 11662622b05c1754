// How many subscriptions a user has: a number that is counted as they come and go.
import * as z from 'zod/mini'
import { Refused, STALE } from '../../../shared/table/action.ts'
import { deciding } from '../../../shared/table/deciding.ts'
import { webhooksOwnedKey } from '../../../shared/table/design.ts'
import { listWebhooks } from '../../../shared/webhooks/store.ts'
import type { Context } from '../command.ts'
import type { Finding } from './finding.ts'

const Owned = z.object({ owned: z.int() })

/** The number is read before and after the subscriptions, with which it changes. */
export const examineOwned = (
  { target: { table } }: Context,
  ownerId: number,
  isMending: boolean,
): Promise<Finding[]> =>
  deciding(async () => {
    const key = webhooksOwnedKey(ownerId)
    const before = (await table.find(key, Owned))?.owned
    const expected = (await listWebhooks(table, ownerId)).length
    const after = (await table.find(key, Owned))?.owned
    if (before !== after) throw new Refused([STALE])
    if ((before ?? 0) === expected) return []
    if (isMending)
      await table.write({ refused: STALE, Put: { Item: { ...key, owned: expected }, ...unchanged(before) } })
    return [
      {
        where: `user ${ownerId}`,
        says: `has ${expected} webhooks, but they are counted as ${before ?? 0}.`,
        key,
        expected,
        found: before ?? null,
        isMended: isMending,
      },
    ]
  })

const unchanged = (before: number | undefined) =>
  before === undefined
    ? { ConditionExpression: 'attribute_not_exists(pk)' }
    : { ConditionExpression: 'owned = :was', ExpressionAttributeValues: { ':was': before } }
