// The permissions and resources that a function declares.
import type { QueueName } from '../events/message.ts'
import type { SecretName } from '../runtime/parameters.ts'
import { listPartition } from '../table/design.ts'
import type { ListName, Reach } from '../table/kinds.ts'

/** A function's access to the table, by kinds of records. Nothing else is granted. */
export type Access = {
  reads: Reach[]
  writes: Reach[]
  /** Records that it may put, but not delete. */
  puts: Reach[]
  /** Records that it may change, but neither replace nor delete. */
  updates: Reach[]
  /** Records that its transactions check in conditions but never write. */
  checks: Reach[]
}

export type FunctionNeeds = Access & {
  sends: QueueName[]
  secrets: SecretName[]
  /** Whether it may send mail through SES. */
  sendsMail: boolean
  /** 1,769 MB gives one full vCPU, which hashing a password needs. */
  memoryMb: number
  timeoutSeconds: number
}

/** What a part of a function needs. */
export type PartNeeds = Partial<Omit<FunctionNeeds, 'memoryMb' | 'timeoutSeconds'>>

type Size = Pick<FunctionNeeds, 'memoryMb' | 'timeoutSeconds'>

/** The needs of a function: those of its parts, each once. A permission to write includes the lesser ones. */
export function needsOf(parts: PartNeeds[], size: Size): FunctionNeeds {
  const writes = union(parts, 'writes')
  const notWritten = (reach: Reach) => !writes.includes(reach)
  return {
    reads: union(parts, 'reads'),
    writes,
    puts: union(parts, 'puts').filter(notWritten),
    updates: union(parts, 'updates').filter(notWritten),
    checks: union(parts, 'checks').filter(notWritten),
    sends: union(parts, 'sends'),
    secrets: union(parts, 'secrets'),
    sendsMail: parts.some(({ sendsMail }) => sendsMail),
    ...size,
  }
}

type ListNames = Exclude<keyof PartNeeds, 'sendsMail'>

function union<Name extends ListNames>(parts: PartNeeds[], name: Name): FunctionNeeds[Name][number][] {
  return [...new Set(parts.flatMap<FunctionNeeds[Name][number]>(part => part[name] ?? []))]
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
