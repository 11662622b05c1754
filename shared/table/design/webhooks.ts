// Keys of webhooks, their counters and deliveries.
import type { Key } from '../key.ts'
import type { Kind } from '../kinds.ts'
import { key, sortable } from './parts.ts'

export const COUNTER_SHARDS = 8

export function webhookPartition(ownerId: number): string {
  return `${'WEBHOOK' satisfies Kind}#${ownerId}`
}

export function webhookKey(ownerId: number, id: number) {
  return key('WEBHOOK', ownerId, sortable(id))
}

export function webhookCounterKey(ownerId: number, id: number, shard: number) {
  return key('WEBHOOK', ownerId, `${sortable(id)}#COUNT#${shard}`)
}

/** Sorts after the records and counters of its partition. */
export function webhooksOwnedKey(ownerId: number) {
  return key('WEBHOOK', ownerId, 'OWNED')
}

export const FAN_OUT_PARTITION = 'SUBSCRIBERS' satisfies Kind

export function fanOutKey(id: number): Key {
  return { pk: FAN_OUT_PARTITION, sk: sortable(id) }
}

/** The version of all subscriptions, and the marks of slow ones. */
export const subscriptionsKey: Key = {
  pk: 'SUBSCRIPTIONS' satisfies Kind,
  sk: 'SUBSCRIPTIONS',
}

/** How many subscriptions want each event. Each copy has a partition of its own. */
export function wantedKey(copy: number) {
  return key('SUBSCRIPTIONS', copy, 'WANTED')
}

export const ROTATIONS_PARTITION = 'ROTATIONS' satisfies Kind

/** Sorts by the end of the overlap. */
export function rotationKey(endsAt: number, webhookId: number): Key {
  return { pk: ROTATIONS_PARTITION, sk: `${sortable(endsAt)}#${sortable(webhookId)}` }
}

/** `id`: of the event for the first attempt, and one of its own for a later one. Both sort by time. */
export function deliveryKey(webhookId: number, id: string) {
  return key('DELIVERIES', webhookId, id)
}

export function deliveriesPartition(webhookId: number): string {
  return `${'DELIVERIES' satisfies Kind}#${webhookId}`
}

/** A receiver's answer that does not fit into the record of its delivery. */
export function answerKey(webhookId: number, id: string) {
  return key('ANSWER', webhookId, id)
}

/** An event that was due to a subscription, for as long as its deliveries. */
export function eventKey(eventId: string) {
  return key('EVENT', eventId, 'EVENT')
}

/** The deliveries of a subscription that are being sent again. */
export function replayKey(webhookId: number) {
  return key('REPLAY', webhookId, 'REPLAY')
}

/** Which replay may take a step. */
export const replayTurnKey: Key = { pk: 'REPLAY' satisfies Kind, sk: 'TURN' }
