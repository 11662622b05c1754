// Sends deliveries again: a later attempt is written as queued, and a message sends it. A replay is a message
// that asks for those of a hundred failed deliveries, and then sends itself again.
import * as z from 'zod/mini'
import {
  type AttemptRef,
  eventIdAt,
  MAX_DELIVERIES,
  newEventId,
  type StepMessage,
} from '../../events/message.ts'
import { requireSent } from '../../events/sqs.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { ApiError, invalid, notFound } from '../../http/errors.ts'
import { type Reply, reply } from '../../http/reply.ts'
import { parseTime } from '../../http/time.ts'
import type { JobContext } from '../../runtime/runtime.ts'
import {
  type Action,
  CONFLICT,
  exists,
  failedAs,
  ignoreConditionFailed,
  isNew,
  setMembers,
} from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { slices } from '../../table/concurrency.ts'
import { deliveryKey, eventKey, type Key, replayKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import {
  type AttemptRecord,
  attemptOf,
  deliveriesMessage,
  deliveryView,
  expiryAt,
  hasEnded,
  isLogged,
  latestStatus,
  parseId,
  refOf,
} from '../delivery.ts'
import { type Delivery, Int, MOST_REPLAYED, REPLAY_STEP, Text } from '../fields.ts'
import type { ReplayInput } from '../inputs.ts'
import { findAttempt, readNext } from '../store/log.ts'
import { findWebhook, getWebhook, type WebhookRef } from '../store/webhooks.ts'

/** Their sort keys are in the record of the first attempt, which stays small. */
const MAX_ATTEMPTS = 100

/** The event left the log. */
const LEFT = 'left the log'

/** Throws NOT_FOUND, VALIDATION_ERROR if it is paused. */
async function requireActive(table: Table, ref: WebhookRef): Promise<void> {
  const webhook = await getWebhook(table, ref)
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
    const first = await findAttempt(table, ref.id, named.event_id, nowMs)
    if (!first || named.attempt > first.attempts) throw notFound('Delivery')
    if (!hasEnded(first)) throw new ApiError('CONFLICT', 'The delivery is on its way.')
    if (first.attempts >= MAX_ATTEMPTS) {
      throw invalid({ delivery_id: [`Was sent ${MAX_ATTEMPTS} times, which is the most.`] })
    }
    const { attempt, actions } = nextAttempt(first, nowMs)
    const answer = reply(deliveryView(attempt))
    const messages = [deliveriesMessage([refOf(attempt)])]
    await work.commit({ actions, messages }, answer).catch(error => {
      throw failedAs(error, LEFT) ? notFound('Delivery') : error
    })
    return answer
  })
}

/**
 * The next attempt of a delivery that has ended, and its writes: CONFLICT if another one was asked for. The
 * event and the first attempt are kept as long as this one.
 */
function nextAttempt(
  { webhook_id, owner_id, event_id, event, occurred_at, request_id, resource, ...first }: AttemptRecord,
  nowMs: number,
  replay: string | null = null,
): { attempt: AttemptRecord; actions: Action[] } {
  const attempt = first.attempts + 1
  const sk = `${newEventId(nowMs)}.${attempt}`
  const expires = expiryAt(nowMs)
  const Item = {
    ...deliveryKey(webhook_id, sk),
    ...{ webhook_id, owner_id, event_id, event, occurred_at, request_id, resource },
    ...{ attempt, status: 'queued', attempted_ms: null, expires, schema: 1 },
  }
  const isLatest = {
    ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(attempts) OR attempts = :before)',
    ExpressionAttributeValues: { ':before': first.attempts },
  }
  const later = { ...first.later, [attempt]: sk }
  const noted = setMembers({ attempts: attempt, latest: 'queued', later, expires, replay }, isLatest)
  const kept = setMembers({ expires }, exists)
  const actions: Action[] = [
    { onConditionFailed: CONFLICT, Update: { Key: deliveryKey(webhook_id, event_id), ...noted } },
    { onConditionFailed: CONFLICT, Put: { Item, ...isNew } },
    { onConditionFailed: LEFT, Update: { Key: eventKey(event_id), ...kept } },
  ]
  return { attempt: attemptOf(Item, nowMs), actions }
}

/** So many records are looked at in a step. */
const MAX_READ = 500
/** Between two steps, so that fresh events are delivered first. */
const PAUSE_SECONDS = 5
const ASKED_AT_ONCE = 10
/** A replay that cannot go on does not prevent the next one for longer. */
const LONGEST_REPLAY_SECONDS = 4 * 24 * 60 * 60

const RunningReplay = z.object({ id: Text, expires: Int })
type RunningReplay = z.infer<typeof RunningReplay>

/** The replay that runs on a subscription, if one does. */
export async function findReplay(
  table: Table,
  webhookId: number,
  nowMs: number,
): Promise<RunningReplay | undefined> {
  const replay = await table.find(replayKey(webhookId), RunningReplay)
  return replay && isLogged(replay, nowMs) ? replay : undefined
}

export type ReplayMessage = Extract<StepMessage, { kind: 'replay' }>

const RUNNING = 'running'

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
  const id = newEventId(nowMs).replace('evt', 'replay')
  const choice = { since, until: until ?? nowSeconds, status, events: events ?? null }
  const of = { id, webhook_id: ref.id, owner_id: ref.ownerId }
  const first = { kind: 'replay' as const, ...of, ...choice, position: '' }
  const matched = await countChosen(table, first, nowMs)
  const answer = reply({ id, matched })
  const expires = nowSeconds + LONGEST_REPLAY_SECONDS
  const Put = {
    Item: { ...replayKey(ref.id), id, expires, schema: 1 },
    ConditionExpression: 'attribute_not_exists(pk) OR expires <= :now',
    ExpressionAttributeValues: { ':now': nowSeconds },
  }
  const messages = [{ queue: 'jobs' as const, body: first }]
  const start = { actions: [{ onConditionFailed: RUNNING, Put }], messages }
  await work.commit(matched > 0 ? start : { actions: [] }, answer).catch(error => {
    throw failedAs(error, RUNNING) ? alreadyRunning() : error
  })
  return answer
}

function alreadyRunning() {
  return new ApiError('CONFLICT', 'Deliveries of this subscription are being sent again. Wait for their end.')
}

/**
 * One step. A repeated one finds what it has asked for before: attempts that are still queued get another
 * message, which their claims bear, and none is asked for twice.
 */
export async function stepReplay(job: JobContext, step: ReplayMessage): Promise<void> {
  const { table, sender, nowMs } = job
  await retryOnConflict(async () => {
    const running = await findReplay(table, step.webhook_id, nowMs)
    if (running?.id !== step.id) return
    const webhook = await findWebhook(table, { ownerId: step.owner_id, id: step.webhook_id })
    // What was not sent before a pause or a deletion is not sent at all.
    if (!webhook?.is_active) return await endRunning(table, replayKey(step.webhook_id), step)
    const { firsts, position } = await listChosen(table, step, nowMs, REPLAY_STEP)
    let asked: AttemptRef[] = []
    for (const some of slices(firsts, ASKED_AT_ONCE)) {
      const found = await Promise.all(some.map(first => askFor(table, step, first, nowMs)))
      asked = [...asked, ...found.flat()]
    }
    const messages = slices(asked, MAX_DELIVERIES).map(some => deliveriesMessage(some))
    requireSent(await sender.send(messages), `messages of the replay ${step.id}`)
    if (position === undefined) return await endRunning(table, replayKey(step.webhook_id), step)
    const delaySeconds = asked.length > 0 ? PAUSE_SECONDS : 0
    const next = { queue: 'jobs' as const, body: { ...step, position }, delaySeconds }
    requireSent(await sender.send([next]), `steps of the replay ${step.id}`)
  })
}

/** None if the event has left the log. Throws CONFLICT if somebody else asked for it at the same time. */
async function askFor(
  table: Table,
  { id }: ReplayMessage,
  first: AttemptRecord,
  nowMs: number,
): Promise<AttemptRef[]> {
  const { attempts, later, replay } = first
  if (replay === id) return [refOf({ ...first, attempt: attempts, sk: later[attempts] ?? '' })]
  const { attempt, actions } = nextAttempt(first, nowMs, id)
  try {
    await table.transact(actions)
    return [refOf(attempt)]
  } catch (error) {
    if (!failedAs(error, LEFT)) throw error
    return []
  }
}

/** Removes what runs on a subscription, a replay or a burst, unless another one has replaced it. */
export async function endRunning(table: Table, Key: Key, { id }: { id: string }): Promise<void> {
  const isSame = { ConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': id } }
  await table.write({ Delete: { Key, ...isSame } }).catch(ignoreConditionFailed)
}

/** Whether the delivery is sent again, given its first attempt: it failed if its latest attempt did. */
function isChosen(first: AttemptRecord, { id, since, until, status, events }: ReplayMessage): boolean {
  if (first.replay === id) return latestStatus(first) === 'queued'
  const seconds = parseTime(first.occurred_at) ?? 0
  return (
    first.attempt === 1 &&
    first.attempts < MAX_ATTEMPTS &&
    seconds >= since &&
    seconds <= until &&
    hasEnded(first) &&
    (status === 'all' || latestStatus(first) === 'failed') &&
    (events === null || events.includes(first.event))
  )
}

/** An event of a scheduled post gets its id when it is announced, and a batch when it is sent: both later. */
const LATEST_ANNOUNCEMENT_SECONDS = 20 * 60

/** `position`: the sort key of the last delivery that was looked at; undefined at the end. */
type ChosenAttempts = { firsts: AttemptRecord[]; position: string | undefined }

/** The next first attempts that are chosen, at most `most`, among the next 500 records. */
async function listChosen(
  table: Table,
  step: ReplayMessage,
  nowMs: number,
  most: number,
): Promise<ChosenAttempts> {
  const from = eventIdAt(step.since * 1000)
  const to = eventIdAt((step.until + 1 + LATEST_ANNOUNCEMENT_SECONDS) * 1000)
  const span = { webhookId: step.webhook_id, from, to, after: step.position, nowMs }
  const read = await readNext(table, span, MAX_READ)
  const firsts: AttemptRecord[] = []
  for (const [n, attempt] of read.entries()) {
    if (isLogged(attempt, nowMs) && isChosen(attempt, step)) firsts.push(attempt)
    if (firsts.length === most && n < read.length - 1) return { firsts, position: attempt.sk }
  }
  return { firsts, position: read.length < MAX_READ ? undefined : read.at(-1)?.sk }
}

/** How many deliveries are chosen. Throws VALIDATION_ERROR if it has to look at too many. */
async function countChosen(table: Table, first: ReplayMessage, nowMs: number): Promise<number> {
  let matched = 0
  let position: string | undefined = ''
  for (let lookedAt = 0; lookedAt < MOST_REPLAYED; lookedAt += MAX_READ) {
    const chosen: ChosenAttempts = await listChosen(table, { ...first, position }, nowMs, MAX_READ)
    matched += chosen.firsts.length
    position = chosen.position
    if (position === undefined) return matched
  }
  const message = `Must be later: since then there were more than ${MOST_REPLAYED} deliveries. Use until for the others.`
  throw invalid({ since: [message] })
}
