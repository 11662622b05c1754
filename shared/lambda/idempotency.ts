// Idempotency-Key on admin POSTs: the same request twice acts once and is answered twice.
import { createHash, randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { takesIdempotencyKey } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { ConditionFailed } from '../table/action.ts'
import { idempotencyKey } from '../table/design.ts'
import type { Key } from '../table/key.ts'
import { KeptAnswer, packAnswer, unpackAnswer } from './kept-answer.ts'
import { contextOf, headerOf, type RequestContext } from './request-context.ts'

const KEPT_MS = 24 * 60 * 60 * 1000
/** Longer than a function runs: whoever holds the key after it is dead and has committed nothing. */
const LEASE_MS = 30_000
const LONGEST_KEY = 255

const Kept = z.object({
  request_hash: z.string(),
  nonce: z.string(),
  answer: z.optional(KeptAnswer),
})

export function idempotency() {
  const idempotencyBefore = async ({ event }: { event: object }): Promise<void> => {
    const exchange = contextOf(event)
    const given = headerOf(exchange, 'idempotency-key')
    const { route, caller } = exchange
    if (given === undefined || !caller) return
    if (!route || !takesIdempotencyKey(route.endpoint)) return
    if (given.length >= 1 && given.length <= LONGEST_KEY) {
      await claim(exchange, idempotencyKey(caller.actor.userId, given))
    } else {
      exchange.faults = { 'Idempotency-Key': [`Must be 1 to ${LONGEST_KEY} characters.`] }
    }
  }

  /** Acts outside a transaction (a test ping) keep their answer after the fact. */
  const idempotencyAfter = async ({ event }: { event: object }): Promise<void> => {
    const exchange = contextOf(event)
    const { keep, isKept, reply, runtime } = exchange
    if (!keep || isKept || !reply) return
    // What was done is done: the caller gets its answer though it could not be kept.
    await keep(reply)
      .then(kept => runtime.table.transact([kept]))
      .catch(error => warn(exchange, 'an answer was not kept', error))
  }

  /** Only 2xx answers are kept: after any other the key is free again, at the latest when its lease ends. */
  const idempotencyOnError = async ({ event }: { event: object }): Promise<void> => {
    const exchange = contextOf(event)
    await exchange.release?.().catch(error => warn(exchange, 'an idempotency key stays taken a while', error))
  }
  return { before: idempotencyBefore, after: idempotencyAfter, onError: idempotencyOnError }
}

function warn({ runtime, requestId }: RequestContext, message: string, error: unknown): void {
  runtime.log('warn', message, { request_id: requestId, error: String(error) })
}

/** From here on nobody else acts under the key, or the answer to whoever did stands in the exchange. */
async function claim(exchange: RequestContext, Key: Key): Promise<void> {
  const request_hash = hashOf(exchange)
  const nonce = randomUUID()
  const earlier = await takeKey(exchange, { ...Key, request_hash, nonce })
  if (earlier) {
    exchange.replay = await replayOf(exchange, Key, earlier, request_hash)
  } else {
    hold(exchange, Key, nonce)
  }
}

/** The record of an earlier request that has the key, if there is one. */
async function takeKey(
  { runtime, nowMs }: RequestContext,
  record: Key & { request_hash: string; nonce: string },
) {
  const expires = Math.ceil((nowMs + KEPT_MS) / 1000)
  try {
    await runtime.table.write({
      Put: {
        Item: { ...record, lease_until_ms: nowMs + LEASE_MS, expires },
        ConditionExpression:
          'attribute_not_exists(pk) OR expires <= :s OR (attribute_not_exists(answer) AND lease_until_ms <= :ms)',
        ExpressionAttributeValues: { ':s': Math.floor(nowMs / 1000), ':ms': nowMs },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    })
    return undefined
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    const found = Kept.parse(error.found)
    // What stands in the way may be this very record, when the answer to its writing was lost.
    return found.nonce === record.nonce ? undefined : found
  }
}

function hold(exchange: RequestContext, Key: Key, nonce: string): void {
  const mine = { ConditionExpression: 'nonce = :nonce AND attribute_not_exists(answer)' }
  exchange.keep = async reply => ({
    onConditionFailed: 'idempotency',
    Update: {
      Key,
      ...mine,
      UpdateExpression: 'SET answer = :answer',
      ExpressionAttributeValues: {
        ':nonce': nonce,
        ':answer': await packAnswer(exchange, reply, Key, exchange.nowMs + KEPT_MS),
      },
    },
  })
  exchange.release = async () => {
    const Delete = { Key, ...mine, ExpressionAttributeValues: { ':nonce': nonce } }
    await exchange.runtime.table.write({ Delete }).catch(ignoreRefused)
  }
}

function ignoreRefused(error: unknown): void {
  if (!(error instanceof ConditionFailed)) throw error
}

function hashOf({ event, route }: RequestContext): string {
  return createHash('sha256')
    .update(JSON.stringify([route?.endpoint.method, route?.endpoint.path, route?.params, event.body]))
    .digest('hex')
}

async function replayOf(
  { runtime }: RequestContext,
  Key: Key,
  kept: z.infer<typeof Kept>,
  requestHash: string,
) {
  if (kept.request_hash !== requestHash) {
    throw new ApiError('IDEMPOTENCY_CONFLICT', 'This Idempotency-Key was used for another request.')
  }
  if (kept.answer) return await unpackAnswer(runtime, kept.answer, Key)
  const message = 'The first request with this Idempotency-Key is still running.'
  throw new ApiError('IDEMPOTENCY_CONFLICT', message, { retryAfterSeconds: 1 })
}
