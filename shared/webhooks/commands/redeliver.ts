// Asks for a delivery to be sent again, or for all that match.
import { newEventId } from '../../events/event-id.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { ApiError, invalid, notFound } from '../../http/errors.ts'
import { type Reply, reply } from '../../http/reply.ts'
import type { Table } from '../../table/client.ts'
import { failedAs } from '../../table/conditions.ts'
import { replayKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { parseId } from '../attempt.ts'
import type { ReplayInput } from '../contract.ts'
import { deliveryView } from '../delivery-view.ts'
import type { Delivery } from '../fields.ts'
import { hasEnded, LEFT, MAX_ATTEMPTS, nextAttempt, redeliveryMessage } from '../redelivery.ts'
import { type Choice, MAX_LOOKED_AT, type ReplayRecord } from '../replay.ts'
import { findFirstAttempt } from '../store/log.ts'
import { countChosen, findReplay } from '../store/replays.ts'
import { findWebhook, type WebhookRef } from '../store/webhooks.ts'

/** Throws NOT_FOUND, VALIDATION_ERROR if it is paused. */
async function requireActive(table: Table, ref: WebhookRef): Promise<void> {
  const webhook = await findWebhook(table, ref)
  if (!webhook) throw notFound('Webhook')
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

/** A replay that cannot go on does not prevent the next one for longer. */
const LONGEST_REPLAY_SECONDS = 4 * 24 * 60 * 60

/**
 * Throws NOT_FOUND, VALIDATION_ERROR if it is paused or too many match, CONFLICT while another one runs: this
 * is checked before the deliveries are read.
 */
export async function redeliverAll(
  work: UnitOfWork,
  ref: WebhookRef,
  { since, until, status, events }: ReplayInput,
): Promise<Reply<{ id: string; matched: number }>> {
  const { table, nowMs, nowSeconds } = work
  const [running] = await Promise.all([findReplay(table, ref.id, nowMs), requireActive(table, ref)])
  if (running) throw alreadyRunning()
  const choice: Choice = { since, until: until ?? nowSeconds, status, events: events ?? null }
  const matched = await countChosen(table, { webhookId: ref.id, choice, nowMs })
  if (matched === undefined) {
    const message = `Must be later: since then there were more than ${MAX_LOOKED_AT} deliveries. Use until for the others.`
    throw invalid({ since: [message] })
  }
  const id = newEventId(nowMs).replace('evt', 'replay')
  const answer = reply({ id, matched })
  if (matched === 0) {
    await work.commit({ actions: [] }, answer)
    return answer
  }
  const record: ReplayRecord = {
    ...choice,
    id,
    webhook_id: ref.id,
    owner_id: ref.ownerId,
    step: 1,
    position: '',
    asked: [],
    expires: nowSeconds + LONGEST_REPLAY_SECONDS,
  }
  const Put = {
    Item: { ...replayKey(ref.id), ...record, schema: 1 },
    ConditionExpression: 'attribute_not_exists(pk) OR expires <= :now',
    ExpressionAttributeValues: { ':now': nowSeconds },
  }
  const messages = [
    { queue: 'jobs' as const, body: { kind: 'replay' as const, webhook_id: ref.id, id, step: 1 } },
  ]
  await work.commit({ actions: [{ onConditionFailed: RUNNING, Put }], messages }, answer).catch(error => {
    throw failedAs(error, RUNNING) ? alreadyRunning() : error
  })
  return answer
}

const RUNNING = 'running'

function alreadyRunning() {
  return new ApiError('CONFLICT', 'Deliveries of this subscription are being sent again. Wait for their end.')
}
