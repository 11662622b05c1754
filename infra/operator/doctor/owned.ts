// How many subscriptions a user has: a number that is counted as they come and go.

import * as z from 'zod/mini'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import { isNew } from '../../../shared/table/conditions.ts'
import { webhooksOwnedKey } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { listWebhooks } from '../../../shared/webhooks/store/webhooks.ts'
import type { Context } from '../command.ts'
import type { Finding } from './finding.ts'

const Owned = z.object({ owned: z.int() })

/** The number is read before and after the subscriptions, with which it changes. */
export function examineOwned(
  { target: { table } }: Context,
  ownerId: number,
  isMending: boolean,
): Promise<Finding[]> {
  return retryOnConflict(async () => {
    const key = webhooksOwnedKey(ownerId)
    const before = (await table.find(key, Owned))?.owned
    const expected = (await listWebhooks(table, ownerId)).length
    const after = (await table.find(key, Owned))?.owned
    if (before !== after) throw new ConditionFailed([CONFLICT])
    if ((before ?? 0) === expected) return []
    if (isMending) {
      await table.write({
        onConditionFailed: CONFLICT,
        Put: { Item: { ...key, owned: expected }, ...unchanged(before) },
      })
    }
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
}

function unchanged(before: number | undefined) {
  return before === undefined
    ? isNew
    : { ConditionExpression: 'owned = :was', ExpressionAttributeValues: { ':was': before } }
}
