// Checks of a whole partition, by its kind.
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Context } from '../command.ts'
import { checkPendingOwner, checkWebhookOwner } from './erased.ts'
import type { Problem } from './problem.ts'
import { checkThread } from './thread.ts'
import { checkWebhookTotal } from './webhook-total.ts'

/** `id` is the number in the partition key. */
type PartitionCheck = (context: Context, id: number, repair: boolean) => Promise<Problem[]>

async function checkWebhooks(context: Context, ownerId: number, repair: boolean): Promise<Problem[]> {
  const total = await checkWebhookTotal(context, ownerId, repair)
  return [...total, ...(await checkWebhookOwner(context, ownerId, repair))]
}

export const PARTITIONS = new Map<string, { label: string; check: PartitionCheck }>([
  ['WEBHOOK' satisfies Kind, { label: 'webhooks of user', check: checkWebhooks }],
  ['THREAD' satisfies Kind, { label: 'comments on post', check: checkThread }],
  ['PENDING' satisfies Kind, { label: 'pending comments of user', check: checkPendingOwner }],
])
