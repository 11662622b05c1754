// An event from its message to its receivers: fan out, find subscriptions, sign, claim, POST, finalise, log.
// A delivery that fails before its claim comes again. After it, it is sent once, or ends as interrupted.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { wasListening } from '../../accounts/user.ts'
import {
  type AttemptRef,
  type DeliveriesMessage,
  type EventMessage,
  MAX_DELIVERIES,
} from '../../events/message.ts'
import { pauseSeconds, requireSent } from '../../events/sqs.ts'
import { count } from '../../metrics/tally.ts'
import type { JobContext } from '../../runtime/runtime.ts'
import { ConditionFailed, changeOf, isNew } from '../../table/action.ts'
import { perTable } from '../../table/client.ts'
import { limitConcurrency, slices } from '../../table/concurrency.ts'
import { deliveryKey, webhookKey } from '../../table/design.ts'
import {
  type AttemptState,
  type DeliveryOutcome,
  deliveriesMessage,
  firstAttempt,
  INTERRUPTED,
  putEvent,
  type SentEvent,
  sentEvent,
  stateOf,
} from '../delivery.ts'
import { bodyFrom } from '../own-request.ts'
import { withoutEndedSecret } from '../secret.ts'
import { signedRequest } from '../signed-request.ts'
import { findEvents } from '../store/log.ts'
import { findSubscribers, listFanOutEntries, type Subscriber } from '../store/webhooks.ts'
import { shouldDeliver, type WebhookRecord } from '../webhook.ts'
import { collect, cursorBefore } from './collect.ts'
import { finalise, hasStatus } from './finalise.ts'
import { sendOnce } from './request.ts'
import { warnIfFailing } from './warn-owner.ts'

/**
 * Sends an event to the queue of deliveries, as one message for up to 25 subscriptions that get it, and keeps
 * it for their log. Throws if the queue rejects a message: all are sent again, and claims drop duplicates.
 */
export async function fanOut(
  event: EventMessage,
  { table, sender, nowMs }: Pick<JobContext, 'table' | 'sender' | 'nowMs'>,
): Promise<void> {
  const all = await listFanOutEntries(table)
  // By owner: the owners of a message are read with it, so it has few.
  const receivers = all
    .filter(entry => shouldDeliver(entry, event, nowMs))
    .toSorted((a, b) => a.owner_id - b.owner_id || a.id - b.id)
  if (receivers.length === 0) return
  const attempts = receivers.map(receiver => firstAttempt(receiver, event.id))
  const messages = slices(attempts, MAX_DELIVERIES).map(some => deliveriesMessage(some, event))
  const [sent] = await Promise.all([sender.send(messages), table.write(putEvent(sentEvent(event)))])
  requireSent(sent, `messages with deliveries of ${event.id}`)
}

/** The function has 60 s. A message may wait for others of its process. */
export const MESSAGE_TIMEOUT_MS = 50_000

/**
 * How many messages have their turn in a process at the same time. A turn ends when half of the deliveries
 * have ended, or after a second, so that neither a busy machine nor a receiver that hangs fails others.
 */
const AT_ONCE = 2
const LONGEST_TURN_MS = 1_000
const turnsOf = perTable(() => limitConcurrency(AT_ONCE))

/** Deliveries that failed before their claim come again: in a new message, or in this one if all failed. */
export async function deliver(message: DeliveriesMessage, job: JobContext): Promise<void> {
  const started = await turnsOf(job.table)(async () => {
    const context = { ...job, nowMs: job.work.clock() }
    const planned = await plan(context, message)
    const sending = planned.map(one => deliverOne(context, one, message.event))
    await Promise.race([halfEnded(sending), pause(LONGEST_TURN_MS, undefined, { ref: false })])
    return sending
  })
  const ended = await Promise.allSettled(started)
  const problems = ended.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (problems.length === 0) return
  const summary = `${problems.length} of ${ended.length} deliveries failed.`
  if (problems.length === ended.length) throw new Error(summary, { cause: problems[0] })
  job.log('warn', 'deliveries are tried again', { summary, problem: String(problems[0]) })
  const failed = message.attempts.filter((_, n) => ended[n]?.status === 'rejected')
  const again = { ...deliveriesMessage(failed, message.event), delaySeconds: pauseSeconds(1) }
  requireSent(await job.sender.send([again]), 'messages with deliveries that failed')
}

function halfEnded(sending: Promise<void>[]): Promise<void> {
  const half = Promise.withResolvers<void>()
  let left = Math.ceil(sending.length / 2)
  const end = () => {
    left--
    if (left === 0) half.resolve()
  }
  for (const one of sending) one.then(end, end)
  return half.promise
}

const NOT_SENT = 'It was not sent: the subscription does not get events any more.'
const NOT_LOGGED = 'It was not sent: the event has left the log.'

type AttemptToSend = { ref: AttemptRef; webhook: WebhookRecord; event: SentEvent }
/** `problem`: why it is not sent, for the log of a later attempt. */
type PlannedAttempt = AttemptToSend | { ref: AttemptRef; problem: string }

/** A test ping has no log and no unit of work. */
type SendContext = Pick<JobContext, 'table' | 'environment' | 'nowMs'> &
  Partial<Pick<JobContext, 'log' | 'work'>>

/** Finds the subscriptions that still get their event and, for later attempts, the events in the log. */
async function plan(context: JobContext, { attempts, event }: DeliveriesMessage): Promise<PlannedAttempt[]> {
  const { table, nowMs } = context
  const [subscribers, logged] = await Promise.all([
    findSubscribers(table, attempts, nowMs),
    event ? undefined : findEvents(table, attempts, nowMs),
  ])
  const sent = event && sentEvent(event)
  return attempts.map(ref => {
    const subscriber = subscribers.get(ref.webhook_id)
    if (!subscriber || !isListening(subscriber, event, nowMs)) return { ref, problem: NOT_SENT }
    const { webhook } = subscriber
    const own = sent ? eventFor(context, webhook, sent, event.happened_ms) : logged?.get(ref.event_id)
    return own ? { ref, webhook, event: own } : { ref, problem: NOT_LOGGED }
  })
}

/** When the event happened, or now for an attempt that was asked for. No banned owner gets anything. */
function isListening(
  { webhook, owner }: Subscriber,
  event: EventMessage | undefined,
  nowMs: number,
): boolean {
  if (!event) return webhook.is_active && wasListening(owner, nowMs, nowMs)
  return shouldDeliver(webhook, event, nowMs) && wasListening(owner, event.happened_ms, nowMs)
}

/** The event with the subscription's own body, if it has one. */
export function eventFor(
  { environment }: Pick<SendContext, 'environment'>,
  { template }: WebhookRecord,
  event: SentEvent,
  happenedMs: number,
): SentEvent {
  if (template === undefined) return event
  const body = bodyFrom(template, event.body, () => cursorBefore(environment, happenedMs))
  return { ...event, body, isOwn: true }
}

const AnyItem = z.looseObject({})

/** `first`: the event of a first attempt. If it throws, the delivery comes again. */
async function deliverOne(
  context: JobContext,
  planned: PlannedAttempt,
  first: EventMessage | undefined,
): Promise<void> {
  if ('problem' in planned) {
    const { ref, problem } = planned
    const earlier = await context.table.find(deliveryKey(ref.webhook_id, ref.sk), AnyItem)
    if (earlier) await endEarlier(context, ref, stateOf(earlier, context.nowMs), problem)
  } else if (!first || !(await collect(context.work, planned.webhook, first))) {
    await claimAndSend(context, planned)
  }
}

/** Signs, claims, sends and finalises. Returns undefined for an attempt that was claimed before. */
export async function claimAndSend(
  context: SendContext,
  sending: AttemptToSend,
): Promise<DeliveryOutcome | undefined> {
  const { ref, webhook, event } = sending
  const { table, environment, nowMs, log } = context
  // Before the claim: a secret that this version cannot read leaves the delivery to another one.
  const request = signedRequest(context, webhook, event, ref)
  const sent = { url: request.url, sender: environment.SERVICE_VERSION, headers: webhook.headers }
  const state = await claim(context, ref, event, sent)
  if (state !== 'claimed') {
    await endEarlier(context, ref, state)
    return undefined
  }
  const outcome = await sendOnce(request)
  await finalise(table, { ref, outcome, nowMs })
  if (log) logOutcome(log, sending, outcome)
  // The delivery has ended, so a failure from here on must not repeat its message.
  await Promise.all([
    warnIfFailing(context, webhook, outcome).catch(error => {
      log?.('warn', 'an owner could not be warned', { webhook_id: ref.webhook_id, problem: String(error) })
    }),
    eraseEndedSecret(context, webhook).catch(() => undefined),
  ])
  return outcome
}

/** Returns 'claimed', or the state of the earlier claim. */
export async function claim(
  { table, nowMs }: Pick<SendContext, 'table' | 'nowMs'>,
  ref: AttemptRef,
  { id: _, isOwn, body, ...event }: SentEvent,
  request: { url?: string; sender?: string; headers?: string[] | undefined } = {},
): Promise<'claimed' | AttemptState> {
  const Item = {
    ...ref,
    ...deliveryKey(ref.webhook_id, ref.sk),
    ...event,
    // The body that all subscriptions get is kept with the event.
    body: isOwn ? body : undefined,
    ...request,
    ...{ attempted_ms: nowMs, status: 'sending', claim: randomUUID(), schema: 1 },
  }
  try {
    // The first attempt has no record before its claim.
    const condition = ref.attempt === 1 ? isNew : hasStatus('queued')
    await table.write({ Put: { Item, ...condition, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } })
    return 'claimed'
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    // The record of a later attempt has left the log.
    if (!error.item) return 'ended'
    // The existing claim may be this one, if only the table's answer was lost.
    return error.item.claim === Item.claim ? 'claimed' : stateOf(error.item, nowMs)
  }
}

/** Ends an attempt that is not sent, or whose function died. Throws while a function may be sending it. */
async function endEarlier(
  { table, nowMs }: SendContext,
  ref: AttemptRef,
  state: AttemptState,
  problem = NOT_SENT,
): Promise<void> {
  if (state === 'ended') return
  if (state === 'sending') throw new Error('Another function may be sending this delivery.')
  const isQueued = state === 'queued'
  const outcome = isQueued ? { ...INTERRUPTED, error_detail: problem } : INTERRUPTED
  await finalise(table, { ref, outcome, nowMs }, isQueued ? 'queued' : 'sending')
  count('DeliveriesFailed')
}

function logOutcome(
  log: JobContext['log'],
  { ref, webhook, event }: AttemptToSend,
  outcome: DeliveryOutcome,
): void {
  const { response: _response, ...shown } = outcome
  const isGood = outcome.status === 'succeeded'
  count(isGood ? 'DeliveriesSucceeded' : 'DeliveriesFailed')
  log(isGood ? 'info' : 'warn', 'delivery', {
    request_id: event.request_id,
    event_id: event.id,
    event: event.event,
    webhook_id: ref.webhook_id,
    ...(ref.attempt > 1 && { attempt: ref.attempt }),
    // Only the host: path and query may contain secrets.
    host: URL.parse(webhook.url)?.host,
    ...shown,
  })
}

/** After a rotation, unless the subscription has changed since it was read. */
async function eraseEndedSecret({ table, nowMs }: SendContext, webhook: WebhookRecord): Promise<void> {
  const kept = withoutEndedSecret(webhook, Math.floor(nowMs / 1000))
  if (kept === webhook) return
  const change = changeOf(webhook, { ...kept, revision: webhook.revision + 1 })
  await table.write({ Update: { Key: webhookKey(webhook.owner_id, webhook.id), ...change } })
}
