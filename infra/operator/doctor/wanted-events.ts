// Checks how many subscriptions want each event, which is counted as they are created, changed and deleted.
import { isDeepStrictEqual } from 'node:util'
import { countsOf, findWantedCopies, putWanted, type WantedCounts } from '../../../shared/events/wanted.ts'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { subscriptionsKey } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { raiseVersion } from '../../../shared/webhooks/commands/version.ts'
import { findSubscriptions } from '../../../shared/webhooks/store/version.ts'
import { listWebhooks } from '../../../shared/webhooks/store/webhooks.ts'
import { wantedBy } from '../../../shared/webhooks/webhook.ts'
import type { Problem } from './problem.ts'

/** Each change of a subscription raises their version, which is read before and after them. */
export function checkWanted(table: Table, ownerIds: number[], repair: boolean): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const { version } = await findSubscriptions(table)
    const owned = await Promise.all(ownerIds.map(ownerId => listWebhooks(table, ownerId)))
    const expected = countsOf(owned.flat().map(({ webhook }) => wantedBy(webhook)))
    const found = (await findWantedCopies(table)).map(withoutNone)
    if ((await findSubscriptions(table)).version !== version) throw new ConditionFailed([CONFLICT])
    if (found.every(counts => isDeepStrictEqual(counts, expected))) return []
    if (repair) await table.transact([isStill(version), ...putWanted(expected)])
    return [
      {
        subject: 'webhooks',
        message: 'the counts of wanted events do not match the subscriptions.',
        expected,
        found: found.find(counts => !isDeepStrictEqual(counts, expected)),
        isRepaired: repair,
      },
    ]
  })
}

function withoutNone(counts: WantedCounts): WantedCounts {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))
}

function isStill(version: number) {
  const { Update } = raiseVersion()
  return {
    onConditionFailed: CONFLICT,
    Update: {
      ...Update,
      Key: subscriptionsKey,
      ConditionExpression: 'attribute_not_exists(version) OR version = :read',
      ExpressionAttributeValues: { ...Update.ExpressionAttributeValues, ':read': version },
    },
  }
}
