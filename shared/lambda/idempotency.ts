// Idempotency-Key on admin POSTs: the same request sent twice acts once, and both get the same answer.
import { createHash, randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { takesIdempotencyKey } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { ConditionFailed } from '../table/action.ts'
import { ignoreConditionFailed } from '../table/conditions.ts'
import { idempotencyKey } from '../table/design.ts'
import type { Key } from '../table/key.ts'
import { latestEnd } from '../table/running.ts'
import type { Step } from './chain.ts'
import { KeptAnswer, packAnswer, unpackAnswer } from './kept-answer.ts'
import {
  bodyEncoding,
  type Claim,
  type CompleteContext,
  headerOf,
  type PartialContext,
  type Replay,
  type RequestContext,
  type WithCaller,
  type WithClaim,
  type WithRoute,
} from './request-context.ts'

const KEPT_MS = 24 * 60 * 60 * 1000
/** Longer than a function runs: after it, the holder of the key is dead and has committed nothing. */
const LEASE_MS = 30_000
const LONGEST_KEY = 255

const IdempotencyRecord = z.object({
  request_hash: z.string(),
  nonce: z.string(),
  answer: z.optional(KeptAnswer),
})

type Needs = RequestContext & WithRoute & WithCaller

const NO_CLAIM: WithClaim = { claim: undefined, replay: undefined, keyFaults: {} }

export function idempotency(): Step<Needs, WithClaim> {
  const idempotencyBefore = async (context: Needs): Promise<WithClaim> => {
    const { route, caller } = context
    const key = headerOf(context, 'idempotency-key')
    if (key === undefined || !caller || !takesIdempotencyKey(route.endpoint)) return NO_CLAIM
    if (key.length < 1 || key.length > LONGEST_KEY) {
      return { ...NO_CLAIM, keyFaults: { 'Idempotency-Key': [`Must be 1 to ${LONGEST_KEY} characters.`] } }
    }
    return await claimOrReplay(context, idempotencyKey(caller.actor.userId, key))
  }

  /** Keeps the answer of an act without a transaction, such as a test ping. */
  const idempotencyAfter = async (context: CompleteContext): Promise<void> => {
    const { claim, answer, runtime } = context
    if (!claim || claim.isKept || 'replay' in answer) return
    // The act is done, so the caller gets the answer even if it cannot be kept.
    await claim
      .keep(answer.reply)
      .then(kept => runtime.table.transact([kept]))
      .catch(error => warn(context, 'an answer was not kept', error))
  }

  /** Only 2xx answers are kept. After any other the key is free again, at the latest when its lease ends. */
  const idempotencyOnError = async (context: PartialContext): Promise<void> => {
    const releasing = context.claim?.release()
    await releasing?.catch(error => warn(context, 'an idempotency key stays taken a while', error))
  }
  return { before: idempotencyBefore, after: idempotencyAfter, onError: idempotencyOnError }
}

function warn({ runtime, requestId }: RequestContext, message: string, error: unknown): void {
  runtime.log('warn', message, { request_id: requestId, error: String(error) })
}

/** Takes the key for this request, or finds the answer of the request that has it. */
async function claimOrReplay(context: Needs, Key: Key): Promise<WithClaim> {
  const request_hash = hashOf(context)
  const nonce = randomUUID()
  const earlier = await takeKey(context, { ...Key, request_hash, nonce })
  return earlier
    ? { ...NO_CLAIM, replay: await replayOf(context, Key, earlier, request_hash) }
    : { ...NO_CLAIM, claim: claimOf(context, Key, nonce) }
}

/** Returns the record of an earlier request that has the key, if there is one. */
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
          'attribute_not_exists(pk) OR expires <= :s OR (attribute_not_exists(answer) AND NOT lease_until_ms BETWEEN :first AND :last)',
        ExpressionAttributeValues: {
          ':s': Math.floor(nowMs / 1000),
          ':first': nowMs + 1,
          ':last': latestEnd(LEASE_MS, nowMs),
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    })
    return undefined
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    const found = IdempotencyRecord.parse(error.item)
    // It is this very record if the write succeeded and its answer was lost.
    return found.nonce === record.nonce ? undefined : found
  }
}

function claimOf(context: Needs, Key: Key, nonce: string): Claim {
  const ifMine = { ConditionExpression: 'nonce = :nonce AND attribute_not_exists(answer)' }
  return {
    isKept: false,
    keep: async reply => ({
      onConditionFailed: 'idempotency',
      Update: {
        Key,
        ...ifMine,
        UpdateExpression: 'SET answer = :answer',
        ExpressionAttributeValues: {
          ':nonce': nonce,
          ':answer': await packAnswer(context, reply, Key, context.nowMs + KEPT_MS),
        },
      },
    }),
    release: async () => {
      const Delete = { Key, ...ifMine, ExpressionAttributeValues: { ':nonce': nonce } }
      await context.runtime.table.write({ Delete }).catch(ignoreConditionFailed)
    },
  }
}

function hashOf({ event, route }: RequestContext & WithRoute): string {
  const { method, path } = route.endpoint
  const body = event.body === null ? null : Buffer.from(event.body, bodyEncoding(event)).toString()
  return createHash('sha256')
    .update(JSON.stringify([method, path, route.params, body]))
    .digest('hex')
}

async function replayOf(
  { runtime }: RequestContext,
  Key: Key,
  kept: z.infer<typeof IdempotencyRecord>,
  requestHash: string,
): Promise<Replay> {
  if (kept.request_hash !== requestHash) {
    throw new ApiError('IDEMPOTENCY_CONFLICT', 'This Idempotency-Key was used for another request.')
  }
  if (kept.answer) return await unpackAnswer(runtime, kept.answer, Key)
  const message = 'The first request with this Idempotency-Key is still running.'
  throw new ApiError('IDEMPOTENCY_CONFLICT', message, { retryAfterSeconds: 1 })
}
