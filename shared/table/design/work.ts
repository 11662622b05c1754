// Keys of counters, limits, idempotency, the outbox, the sweep, mails and refused addresses.
import type { Key } from '../key.ts'
import type { Kind } from '../kinds.ts'
import { key, nameIn, sha256 } from './parts.ts'

export function counterKey(kind: string) {
  return key('COUNTER', kind, 'COUNTER')
}

export function limitKey(scope: string, client: string) {
  return key('LIMIT', `${scope}#${client}`, 'LIMIT')
}

/** Beside the counts: it is written by the functions that count requests, whatever else they may write. */
export function tokenUseKey(tokenId: number) {
  return limitKey('token-use', String(tokenId))
}

export function idempotencyKey(userId: number, header: string) {
  return key('IDEMPOTENCY', `${userId}#${sha256(header)}`, 'IDEMPOTENCY')
}

export const OUTBOX_SHARDS = 16

export function outboxPartition(shard: number): string {
  return `${'OUTBOX' satisfies Kind}#${shard}`
}

export function outboxPartitions(): string[] {
  return Array.from({ length: OUTBOX_SHARDS }, (_, shard) => outboxPartition(shard))
}

export function outboxKey({ pk, sk }: Key): Key {
  return { pk: outboxPartition(Number(nameIn(pk))), sk }
}

export const lastRunKey: Key = { pk: 'SWEEP' satisfies Kind, sk: 'SWEEP' }

export function mailKey(id: string) {
  return key('MAIL', id, 'MAIL')
}

export const REFUSALS = 'REFUSALS' satisfies Kind

export function refusalKey(foldedEmail: string): Key {
  return { pk: REFUSALS, sk: sha256(foldedEmail) }
}
