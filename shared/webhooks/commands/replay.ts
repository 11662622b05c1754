// A replay sends the failed deliveries of a subscription again, oldest first. It is a message that puts a
// hundred of them on their ordinary way, and then sends itself again. A record says which one runs.
import * as z from 'zod/mini'
import { eventIdAt, MAX_REDELIVERIES, newEventId, type StepMessage } from '../../events/message.ts'
import { requireSent } from '../../events/sqs.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { ApiError, invalid } from '../../http/errors.ts'
import { type Reply, reply } from '../../http/reply.ts'
import { parseTime } from '../../http/time.ts'
import type { JobContext } from '../../runtime/runtime.ts'
import { failedAs, ignoreConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { mapConcurrently, slices } from '../../table/concurrency.ts'
import { replayKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { type AttemptRecord, hasEnded, isLogged, latestStatus } from '../delivery.ts'
import { Int, MOST_REPLAYED, REPLAY_STEP, Text } from '../fields.ts'
import type { ReplayInput } from '../inputs.ts'
import { listOldest } from '../store/log.ts'
import { findWebhook, type WebhookRef } from '../store/webhooks.ts'
import {
  type AskedAttempt,
  LEFT,
  MAX_ATTEMPTS,
  nextAttempt,
  redeliveryMessage,
  requireActive,
} from './redeliver.ts'

/** So many records are looked at in a step. */
const MAX_READ = 500
/** Between two steps. Fresh events of all subscriptions are delivered meanwhile. */
const PAUSE_SECONDS = 5
const ASKED_AT_ONCE = 10
/** A replay that cannot go on does not prevent the next one for longer. */
const LONGEST_REPLAY_SECONDS = 4 * 24 * 60 * 60

const RunningReplay = z.object({ id: Text, webhook_id: Int, expires: Int })
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
  const answer = reply({ id, matched: await countChosen(table, first, nowMs) })
  if (answer.data.matched === 0) {
    await work.commit({ actions: [] }, answer)
    return answer
  }
  const expires = nowSeconds + LONGEST_REPLAY_SECONDS
  const Put = {
    Item: { ...replayKey(ref.id), id, webhook_id: ref.id, expires, schema: 1 },
    ConditionExpression: 'attribute_not_exists(pk) OR expires <= :now',
    ExpressionAttributeValues: { ':now': nowSeconds },
  }
  const messages = [{ queue: 'jobs' as const, body: first }]
  await work.commit({ actions: [{ onConditionFailed: RUNNING, Put }], messages }, answer).catch(error => {
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
    if (!webhook?.is_active) return await endReplay(table, running)
    const { firsts, position } = await listChosen(table, step, nowMs, REPLAY_STEP)
    const asked = await askAll(table, step, firsts, nowMs)
    const messages = slices(asked, MAX_REDELIVERIES).map(some => redeliveryMessage(step, some))
    requireSent(await sender.send(messages), `messages of the replay ${step.id}`)
    if (position === undefined) return await endReplay(table, running)
    const delaySeconds = asked.length > 0 ? PAUSE_SECONDS : 0
    const next = { queue: 'jobs' as const, body: { ...step, position }, delaySeconds }
    requireSent(await sender.send([next]), `steps of the replay ${step.id}`)
  })
}

/** Throws CONFLICT if another step, or a person, asked for one of them at the same time. */
async function askAll(
  table: Table,
  { id }: ReplayMessage,
  firsts: AttemptRecord[],
  nowMs: number,
): Promise<AskedAttempt[]> {
  const asked = new Map<string, AskedAttempt>()
  await mapConcurrently(firsts, ASKED_AT_ONCE, async first => {
    const { event_id, attempts, later } = first
    if (first.replay === id) {
      asked.set(event_id, { event_id, attempt: attempts, sk: later[attempts] ?? '' })
      return
    }
    const { actions, ref } = nextAttempt(first, nowMs, id)
    try {
      await table.transact(actions)
      asked.set(event_id, ref)
    } catch (error) {
      if (!failedAs(error, LEFT)) throw error
    }
  })
  return firsts.flatMap(({ event_id }) => asked.get(event_id) ?? [])
}

export async function endReplay(table: Table, { webhook_id, id }: RunningReplay): Promise<void> {
  const isSame = { ConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': id } }
  await table.write({ Delete: { Key: replayKey(webhook_id), ...isSame } }).catch(ignoreConditionFailed)
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
  const read = await listOldest(table, span, MAX_READ)
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
