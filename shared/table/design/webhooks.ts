// Keys of webhooks and their deliveries.
import type { Key } from '../key.ts'
import type { Kind } from '../kinds.ts'
import { key, sortable } from './parts.ts'

export function webhookPartition(ownerId: number): string {
  return `${'WEBHOOK' satisfies Kind}#${ownerId}`
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

export function deliveriesPartition(webhookId: number): string {
  return `${'DELIVERIES' satisfies Kind}#${webhookId}`
}

/** An event that was due to a subscription, for as long as its deliveries. */
export function eventKey(eventId: string) {
  return key('EVENT', eventId, 'EVENT')
}

/** The deliveries of a subscription that are being sent again. */
export function replayKey(webhookId: number) {
  return key('REPLAY', webhookId, 'REPLAY')
}
