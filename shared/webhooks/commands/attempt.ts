// One attempt to deliver: claim, one POST, finalise, and what the log keeps of the answer.
import { count } from '../../metrics/tally.ts'
import type { JobContext } from '../../runtime/job.ts'
import type { Table } from '../../table/client.ts'
import { answerKey } from '../../table/design.ts'
import { perTable } from '../../table/per-table.ts'
import { packAnswer } from '../answer.ts'
import {
  type AttemptOutcome,
  type AttemptRef,
  attemptKey,
  type ClaimState,
  deliveryId,
  INTERRUPTED,
} from '../delivery.ts'
import { sizeOf, UNIT_BYTES } from '../record-size.ts'
import type { SentEvent } from '../sent-event.ts'
import type { WebhookRecord } from '../webhook.ts'
import { type Claim, type ClaimOptions, claimOf, putClaim } from './deliveries.ts'
import { type Ended, finaliseDelivery } from './finalise.ts'
import { keepEventLonger } from './kept-events.ts'
import { sendOnce } from './request.ts'
import { latestSecrets } from './signed-earlier.ts'
import { type SendContext, signedRequest } from './signed-request.ts'
import { markSlow } from './version.ts'
import { warnIfFailing } from './warn-owner.ts'

/** `readMs`: when the read of the subscription began, by `performance.now()`. */
export type AttemptContext = SendContext & Partial<Pick<JobContext, 'log' | 'work'>> & { readMs: number }

/** Throws if it was not sent and has to be tried again. */
export async function attempt(
  context: AttemptContext,
  webhook: WebhookRecord,
  event: SentEvent,
  ref: AttemptRef,
): Promise<AttemptOutcome | ClaimState> {
  const { table, nowMs, log } = context
  const number = ref.later?.attempt ?? 1
  const names = { deliveryId: deliveryId(ref), attempt: number }
  // Before the claim: a secret that this version cannot read leaves the delivery to another one.
  const request = signedRequest(context, webhook, event, names)
  const options: ClaimOptions = {
    nowMs,
    url: request.url,
    sender: context.environment.SERVICE_VERSION,
  }
  const claimed = claimOf(ref, event, options)
  const state = await putClaim(table, claimed, nowMs)
  if (state !== 'claimed') return state
  const extending =
    claimed.expires > event.expires ? keepEventLonger(table, event.id, claimed.expires) : undefined
  const latest = await latestSecrets(table, webhook, context.readMs)
  const outcome = await sendOnce(latest === webhook ? request : signedRequest(context, latest, event, names))
  const marking = outcome.error === 'timeout' ? markSlow(table, webhook.id, nowMs) : undefined
  const kept = await keepAnswer(table, claimed, outcome)
  await Promise.all([
    finaliseDelivery(table, { delivery: ref, outcome, nowMs, log: kept }),
    marking,
    extending,
  ])
  if (log) logOutcome(log, { webhook, event, outcome, number })
  if (outcome.detail !== null) await warn(context, webhook, outcome.detail)
  return outcome
}

/** The delivery has ended, so a failure here must not repeat its message. */
async function warn({ work, log }: AttemptContext, webhook: WebhookRecord, problem: string): Promise<void> {
  if (!work) return
  await warnIfFailing({ work, webhook, problem }).catch(error => {
    log?.('warn', 'an owner could not be warned', { webhook_id: webhook.id, problem: String(error) })
  })
}

/** The members that an outcome adds to its record, but for texts. */
const OUTCOME_BYTES = 90
/** So much of an answer fits into an item of its own that costs one write unit. */
const APART_BYTES = 930
const KEEP_TIMEOUT_MS = 2_000

/**
 * Most answers fit into the record of the attempt without a further write unit. The rest of a longer one has
 * an item of its own, for one unit: in the transaction of the outcome it would cost two.
 */
async function keepAnswer(
  table: Table,
  claimed: Claim,
  { answer, detail }: AttemptOutcome,
): Promise<Ended['log']> {
  if (!answer) return {}
  const size = sizeOf(claimed) + OUTCOME_BYTES + sizeOf(detail)
  const room = UNIT_BYTES - (size % UNIT_BYTES)
  const packed = packAnswer(answer, room, room + APART_BYTES)
  if (packed.length <= room) return { answer: packed }
  const { webhook_id, sk, expires } = claimed
  const rest = packed.subarray(room)
  const Item = { ...answerKey(Number(webhook_id), sk), answer: rest, expires, schema: 1 }
  try {
    await table.write({ Put: { Item } }, KEEP_TIMEOUT_MS)
    return { answer: packed.subarray(0, room), has_answer: true }
  } catch {
    // The outcome counts. Without its answer the log shows none.
    return {}
  }
}

type Logged = { webhook: WebhookRecord; event: SentEvent; outcome: AttemptOutcome; number: number }

function logOutcome(log: JobContext['log'], { webhook, event, outcome, number }: Logged): void {
  const { answer: _answer, ...shown } = outcome
  count(outcome.ok ? 'DeliveriesSucceeded' : 'DeliveriesFailed')
  log(outcome.ok ? 'info' : 'warn', 'delivery', {
    request_id: event.request_id,
    ...(event.gateway_request_id && { gateway_request_id: event.gateway_request_id }),
    event_id: event.id,
    event: event.event,
    webhook_id: webhook.id,
    ...(number > 1 && { attempt: number }),
    // Only the host: path and query may contain secrets.
    host: URL.parse(webhook.url)?.host,
    ...shown,
  })
}

/** The attempts that this process is making. A duplicate waits for its twin. */
const runningOf = perTable(() => new Map<string, Promise<unknown>>())

/** For a message, which stays until the attempt has its outcome, whichever function made it. */
export async function attemptOnce(
  context: AttemptContext,
  webhook: WebhookRecord,
  event: SentEvent,
  ref: AttemptRef,
): Promise<void> {
  const running = runningOf(context.table)
  const { pk, sk } = attemptKey(ref)
  const id = `${pk} ${sk}`
  const twin = running.get(id)
  if (twin) {
    await twin
    return
  }
  const own = attemptOrEnd(context, webhook, event, ref).finally(() => running.delete(id))
  running.set(id, own)
  await own
}

async function attemptOrEnd(
  context: AttemptContext,
  webhook: WebhookRecord,
  event: SentEvent,
  ref: AttemptRef,
): Promise<void> {
  const result = await attempt(context, webhook, event, ref)
  if (typeof result === 'string') await endClaim(context, ref, result)
}

/** A message ends the claim of a function that died, and stays until then. */
export async function endClaim(
  { table, nowMs }: { table: Table; nowMs: number },
  delivery: AttemptRef,
  state: ClaimState,
): Promise<void> {
  if (state === 'interrupted') {
    await finaliseDelivery(table, { delivery, outcome: INTERRUPTED, nowMs })
    count('DeliveriesFailed')
  }
  if (state === 'sending') throw new Error('Another function may be sending this delivery.')
}
