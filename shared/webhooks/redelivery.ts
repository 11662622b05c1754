// A later attempt of a delivery: when it may be asked for, and what is written for it. No I/O.
import { newEventId } from '../events/event-id.ts'
import type { Message, RedeliveryMessage } from '../events/message.ts'
import { type Action, CONFLICT } from '../table/action.ts'
import { isNew } from '../table/conditions.ts'
import { deliveryKey, eventKey } from '../table/design.ts'
import { type AttemptRecord, attemptOf } from './attempt.ts'
import type { DeliveryStatus } from './fields.ts'
import { attemptExpires, eventExpires } from './sent-event.ts'

/** Their sort keys are in the record of the first attempt, which stays small. */
export const MAX_ATTEMPTS = 100

/** The status of the latest attempt, given the first. */
export function latestStatus({ latest, status }: AttemptRecord): DeliveryStatus {
  return latest ?? status
}

export function hasEnded(first: AttemptRecord): boolean {
  return latestStatus(first) === 'succeeded' || latestStatus(first) === 'failed'
}

export type Redelivery = {
  attempt: AttemptRecord
  actions: Action[]
  /** For the message. */
  ref: RedeliveryMessage['attempts'][number]
}

/** The event left the log. */
export const LEFT = 'left the log'

/**
 * The next attempt of a delivery that has ended, and its writes: CONFLICT if another one was asked for. The
 * event and the first attempt are kept as long as this one.
 */
export function nextAttempt(first: AttemptRecord, nowMs: number): Redelivery {
  const { webhook_id, event_id } = first
  const number = first.attempts + 1
  const sk = `${newEventId(nowMs)}.${number}`
  const expires = attemptExpires(nowMs)
  const Item = {
    ...deliveryKey(webhook_id, sk),
    webhook_id,
    owner_id: first.owner_id,
    event_id,
    event: first.event,
    occurred_at: first.occurred_at,
    request_id: first.request_id,
    resource: first.resource,
    attempt: number,
    status: 'queued',
    attempted_ms: null,
    expires,
    schema: 1,
  }
  const isLatest = first.attempts === 1 ? 'attribute_not_exists(attempts)' : 'attempts = :before'
  return {
    attempt: attemptOf(Item, nowMs),
    ref: { event_id, attempt: number, sk },
    actions: [
      {
        onConditionFailed: CONFLICT,
        Update: {
          Key: deliveryKey(webhook_id, event_id),
          UpdateExpression: 'SET attempts = :number, latest = :queued, later = :later, expires = :expires',
          ConditionExpression: `attribute_exists(pk) AND ${isLatest}`,
          ExpressionAttributeValues: {
            ...(first.attempts > 1 && { ':before': first.attempts }),
            ':number': number,
            ':queued': 'queued',
            ':later': { ...first.later, [number]: sk },
            ':expires': expires,
          },
        },
      },
      { onConditionFailed: CONFLICT, Put: { Item, ...isNew } },
      {
        onConditionFailed: LEFT,
        Update: {
          Key: eventKey(event_id),
          UpdateExpression: 'SET expires = :expires',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: { ':expires': eventExpires(nowMs) },
        },
      },
    ],
  }
}

/** One message for up to 25 attempts of a subscription. */
export function redeliveryMessage(
  { webhook_id, owner_id }: { webhook_id: number; owner_id: number },
  attempts: RedeliveryMessage['attempts'],
): Message {
  return { queue: 'deliveries', group: String(webhook_id), body: { webhook_id, owner_id, attempts } }
}
