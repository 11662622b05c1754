// Checks of a whole partition, by its kind.
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Context } from '../command.ts'
import type { Problem } from './problem.ts'
import { checkThread } from './thread.ts'
import { checkWebhookTotal } from './webhook-total.ts'

/** `id` is the number in the partition key. */
type PartitionCheck = (context: Context, id: number, repair: boolean) => Promise<Problem[]>

export const PARTITIONS = new Map<string, { label: string; check: PartitionCheck }>([
  ['WEBHOOK' satisfies Kind, { label: 'webhooks of user', check: checkWebhookTotal }],
  ['THREAD' satisfies Kind, { label: 'comments on post', check: checkThread }],
])
