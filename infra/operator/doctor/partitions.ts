// What holds for a partition as a whole, by the kind of partition and the number in its name.
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Context } from '../command.ts'
import type { Finding } from './finding.ts'
import { examineOwned } from './owned.ts'
import { examineThread } from './threads.ts'

type Examine = (context: Context, id: number, isMending: boolean) => Promise<Finding[]>

export const PARTITIONS = new Map<string, { of: string; examine: Examine }>([
  ['WEBHOOK' satisfies Kind, { of: 'webhooks of user', examine: examineOwned }],
  ['THREAD' satisfies Kind, { of: 'comments on post', examine: examineThread }],
])
