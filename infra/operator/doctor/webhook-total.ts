// Checks the number of webhooks that a user has, which is counted as they are created and deleted.
import * as z from 'zod/mini'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import { isNew } from '../../../shared/table/conditions.ts'
import { webhooksOwnedKey } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { listWebhooks } from '../../../shared/webhooks/store/webhooks.ts'
import type { Context } from '../command.ts'
import type { Problem } from './problem.ts'

const Total = z.object({ owned: z.int() })

/** A new or deleted webhook changes the total, which is read before and after the webhooks. */
export function checkWebhookTotal(
  { target: { table } }: Context,
  ownerId: number,
  repair: boolean,
): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const key = webhooksOwnedKey(ownerId)
    const before = (await table.find(key, Total))?.owned
    const expected = (await listWebhooks(table, ownerId)).length
    const after = (await table.find(key, Total))?.owned
    if (before !== after) throw new ConditionFailed([CONFLICT])
    if ((before ?? 0) === expected) return []
    if (repair) {
      await table.write({
        onConditionFailed: CONFLICT,
        Put: { Item: { ...key, owned: expected }, ...ifUnchanged(before) },
      })
    }
    return [
      {
        subject: `user ${ownerId}`,
        message: `has ${expected} webhooks, but its counter says ${before ?? 0}.`,
        key,
        expected,
        found: before ?? null,
        isRepaired: repair,
      },
    ]
  })
}

function ifUnchanged(before: number | undefined) {
  return before === undefined
    ? isNew
    : { ConditionExpression: 'owned = :was', ExpressionAttributeValues: { ':was': before } }
}
