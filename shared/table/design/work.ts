// Keys of accounts, webhooks, imports, counters, limits, idempotency, the outbox and mails.
import type { Kind } from '../kinds.ts'
import { type Key, key, keysOf, sha256, sortable } from './parts.ts'

/** By the name of the counter. */
export const counterKey = keysOf<string>('COUNTER')
export const mailKey = keysOf<string>('MAIL')
/** An event that was due to a subscription, for as long as its deliveries. */
export const eventKey = keysOf<string>('EVENT')
export const userKey = keysOf<number>('USER')
export const authorKey = keysOf<number>('AUTHOR')
export const passwordKey = keysOf<number>('PASSWORD')

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

export const REFUSALS = 'REFUSALS' satisfies Kind

export function refusalKey(foldedEmail: string): Key {
  return { pk: REFUSALS, sk: sha256(foldedEmail) }
}

export function webhookKey(ownerId: number, id: number) {
  return key('WEBHOOK', ownerId, sortable(id))
}

/** Sorts after the records of its partition. */
export function webhooksOwnedKey(ownerId: number) {
  return key('WEBHOOK', ownerId, 'OWNED')
}

export const FAN_OUT_PARTITION = 'SUBSCRIBERS' satisfies Kind

export function fanOutKey(id: number): Key {
  return { pk: FAN_OUT_PARTITION, sk: sortable(id) }
}

/** How many subscriptions want each event. Each copy has a partition of its own. */
export function wantedKey(copy: number) {
  return key('SUBSCRIPTIONS', copy, 'WANTED')
}

/** `id`: of the event for the first attempt, and one of its own for a later one. Both sort by time. */
export function deliveryKey(webhookId: number, id: string) {
  return key('DELIVERIES', webhookId, id)
}

/** Says that deliveries of the subscription are being sent again. Sorts before them. */
export function replayKey(webhookId: number) {
  return deliveryKey(webhookId, 'REPLAY')
}

/** What a subscription is collecting. */
export function burstKey(webhookId: number) {
  return key('BURST', webhookId, 'OPEN')
}

/** Notes that a subscription has collected an event. */
export function collectedKey(webhookId: number, eventId: string) {
  return key('BURST', webhookId, eventId)
}

/** A random name of this site, by which an import recognises its own export. */
export const siteIdKey: Key = { pk: 'ORIGIN' satisfies Kind, sk: 'SITE' }

/** `record`: what the source calls the record, with the name of the source. */
export function originKey(record: string) {
  return key('ORIGIN', sha256(record), 'ORIGIN')
}

export const TOKEN_PREFIX = 'TOKEN#'

export function tokenKey(userId: number, id: number) {
  return key('USER', userId, `${TOKEN_PREFIX}${sortable(id)}`)
}

/** Above the sort key of every token. */
export const TOKENS_END = `${TOKEN_PREFIX}:`

export function emailKey(foldedEmail: string) {
  return key('EMAIL', sha256(foldedEmail), 'EMAIL')
}
