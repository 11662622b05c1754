// Asks for a delivery to be sent again: a later attempt is written as queued, and a message sends it.
import { type Message, newEventId, type RedeliveryMessage } from '../../events/message.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { ApiError, invalid, notFound } from '../../http/errors.ts'
import { type Reply, reply } from '../../http/reply.ts'
import { type Action, CONFLICT, failedAs, isNew } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { deliveryKey, eventKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { type AttemptRecord, attemptOf, deliveryView, expiryAt, hasEnded, parseId } from '../delivery.ts'
import type { Delivery } from '../fields.ts'
import { findFirstAttempt } from '../store/log.ts'
import { getWebhook, type WebhookRef } from '../store/webhooks.ts'

/** Their sort keys are in the record of the first attempt, which stays small. */
export const MAX_ATTEMPTS = 100

/** The event left the log. */
export const LEFT = 'left the log'

/** Throws NOT_FOUND, VALIDATION_ERROR if it is paused. */
export async function requireActive(table: Table, ref: WebhookRef): Promise<void> {
  const { webhook } = await getWebhook(table, ref)
  if (!webhook.is_active) throw invalid({ is_active: ['The subscription is paused. Resume it first.'] })
}

/**
 * Throws NOT_FOUND also if the event has left the log, VALIDATION_ERROR if the subscription is paused, and
 * CONFLICT if the delivery is on its way.
 */
export async function redeliver(work: UnitOfWork, ref: WebhookRef, id: string): Promise<Reply<Delivery>> {
  const { table, nowMs } = work
  await requireActive(table, ref)
  const named = parseId(id, ref.id)
  if (!named) throw notFound('Delivery')
  return await retryOnConflict(async () => {
    const first = await findFirstAttempt(table, ref.id, named.event_id, nowMs)
    if (!first || named.attempt > first.attempts) throw notFound('Delivery')
    if (!hasEnded(first)) throw new ApiError('CONFLICT', 'The delivery is on its way.')
    if (first.attempts >= MAX_ATTEMPTS) {
      throw invalid({ delivery_id: [`Was sent ${MAX_ATTEMPTS} times, which is the most.`] })
    }
    const next = nextAttempt(first, nowMs)
    const answer = reply(deliveryView(next.attempt))
    const messages = [redeliveryMessage(first, [next.ref])]
    await work.commit({ actions: next.actions, messages }, answer).catch(error => {
      throw failedAs(error, LEFT) ? notFound('Delivery') : error
    })
    return answer
  })
}

export type AskedAttempt = RedeliveryMessage['attempts'][number]

/**
 * The next attempt of a delivery that has ended, and its writes: CONFLICT if another one was asked for. The
 * event and the first attempt are kept as long as this one.
 */
export function nextAttempt(
  first: AttemptRecord,
  nowMs: number,
  replay: string | null = null,
): { attempt: AttemptRecord; actions: Action[]; ref: AskedAttempt } {
  const { webhook_id, owner_id, event_id, event, occurred_at, request_id, resource } = first
  const number = first.attempts + 1
  const sk = `${newEventId(nowMs)}.${number}`
  const expires = expiryAt(nowMs)
  const queued = { attempt: number, status: 'queued', attempted_ms: null, expires, schema: 1 }
  const of = { webhook_id, owner_id, event_id, event, occurred_at, request_id, resource }
  const Item = { ...deliveryKey(webhook_id, sk), ...of, ...queued }
  const isLatest = first.attempts === 1 ? 'attribute_not_exists(attempts)' : 'attempts = :before'
  const actions: Action[] = [
    {
      onConditionFailed: CONFLICT,
      Update: {
        Key: deliveryKey(webhook_id, event_id),
        UpdateExpression: `SET attempts = :number, latest = :queued, later = :later, expires = :expires,
          replay = :replay`,
        ConditionExpression: `attribute_exists(pk) AND ${isLatest}`,
        ExpressionAttributeValues: {
          ...(first.attempts > 1 && { ':before': first.attempts }),
          ':number': number,
          ':queued': 'queued',
          ':later': { ...first.later, [number]: sk },
          ':expires': expires,
          ':replay': replay,
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
        ExpressionAttributeValues: { ':expires': expires },
      },
    },
  ]
  return { attempt: attemptOf(Item, nowMs), actions, ref: { event_id, attempt: number, sk } }
}

/** One message for up to 25 attempts of a subscription. */
export function redeliveryMessage(
  { webhook_id, owner_id }: { webhook_id: number; owner_id: number },
  attempts: AskedAttempt[],
): Message {
  return { queue: 'deliveries', group: String(webhook_id), body: { webhook_id, owner_id, attempts } }
}
