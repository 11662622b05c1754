// The permissions and resources that a function declares.
import type { QueueName } from '../events/message.ts'
import type { SecretName } from '../runtime/secret-names.ts'
import { listPartition } from '../table/design.ts'
import type { ListName, Reach } from '../table/kinds.ts'

/** A function's access to the table, by kinds of records. Nothing else is granted. */
export type Access = {
  reads: Reach[]
  writes: Reach[]
  /** Records that it may put, but not delete. */
  puts?: Reach[]
  /** Records that its transactions check in conditions but never write. */
  checks?: Reach[]
  /** Records of which it may write only these attributes, and use only these in conditions. */
  updates?: PartialUpdate[]
}

export type PartialUpdate = { of: Reach; attributes: string[] }

export type FunctionNeeds = Access & {
  sends: QueueName[]
  secrets: SecretName[]
  /** Whether it may send mail through SES. */
  sendsMail: boolean
  /** 1,769 MB gives one full vCPU, which hashing a password needs. */
  memoryMb: number
  timeoutSeconds: number
}

/** A large text is written in chunks, and listed for the sweep until a record refers to it. */
export const LARGE_TEXTS: Reach[] = ['CHUNK', 'LEFTOVER']

/** Every list of a kind of record, as permissions name them: `listsOf(KINDS.POST)`. */
export function listsOf({ lists }: { lists: readonly ListName[] }): Reach[] {
  return lists.map((name): Reach => `LIST ${name}`)
}

/**
 * The partition keys of a kind, with `*` for any text: a list has one of its own name, other kinds have one,
 * or one for each id.
 */
export function partitionsOf(reach: Reach): string[] {
  const [kind, list] = reach.split(' ')
  return list === undefined ? [reach, `${kind}#*`] : [listPartition(list)]
}
