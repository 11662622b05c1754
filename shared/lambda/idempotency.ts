// Idempotency-Key on admin POSTs and in batches: the same request sent twice acts once, and both get the same
// answer.
import { createHash, randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { takesIdempotencyKey } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import type { AnswerBody, Reply } from '../http/reply.ts'
import { required } from '../runtime/environment.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { ConditionFailed, ignoreConditionFailed, setMembers } from '../table/action.ts'
import { compressText, decompressText, PackedText, packBytes, unpackBytes } from '../table/blob.ts'
import { latestEnd } from '../table/concurrency.ts'
import { idempotencyKey, type Key } from '../table/design.ts'
import { type Lock, openBytes, sealBytes } from '../table/sealed.ts'
import { answerBodyOf } from './etag.ts'
import {
  adding,
  bodyEncoding,
  type Claim,
  type CompleteContext,
  headerOf,
  type PartialContext,
  type Request,
  type RequestContext,
  type WithAdmission,
  type WithClaim,
  type WithRoute,
} from './handler.ts'

const KEPT_MS = 24 * 60 * 60 * 1000
/** Longer than a function runs: after it, the holder of the key is dead and has committed nothing. */
const LEASE_MS = 30_000
const LONGEST_KEY = 255

const KeptAnswer = z.extend(PackedText, {
  etag: z.optional(z.string()),
  /** The number of the key that sealed it. */
  key: z.int(),
})
type KeptAnswer = z.infer<typeof KeptAnswer>

const IdempotencyRecord = z.object({
  request_hash: z.string(),
  nonce: z.string(),
  answer: z.optional(KeptAnswer),
})

type Needs = RequestContext & WithRoute & WithAdmission

const NO_CLAIM: WithClaim = { claim: undefined, replay: undefined, keyFaults: {} }

export const idempotency = { before: adding(heedKey), after: keepAnswer, onError: releaseKey }

/** Takes the key for this request, or finds the answer of the request that has it. */
async function heedKey(context: Needs): Promise<WithClaim> {
  const { route, actor } = context
  const key = headerOf(context, 'idempotency-key')
  const isHeeded = takesIdempotencyKey(route.endpoint) || context.isOperation
  if (key === undefined || !actor || !isHeeded) return NO_CLAIM
  if (key.length < 1 || key.length > LONGEST_KEY) {
    return { ...NO_CLAIM, keyFaults: { 'Idempotency-Key': [`Must be 1 to ${LONGEST_KEY} characters.`] } }
  }
  if (route.endpoint.isBatch) return NO_CLAIM
  const Key = idempotencyKey(actor.userId, key)
  const own = { request_hash: hashOf(context), nonce: randomUUID() }
  const earlier = await takeKey(context, { ...Key, ...own })
  return earlier
    ? { ...NO_CLAIM, replay: await replayOf(context, Key, earlier, own.request_hash) }
    : { ...NO_CLAIM, claim: claimOf(context, Key, own.nonce) }
}

/** Keeps the answer of an act without a transaction, such as a test ping. */
async function keepAnswer({ internal: context }: Request<CompleteContext>): Promise<void> {
  const { claim, reply, runtime } = context
  if (!claim || claim.isKept) return
  // The act is done, so the caller gets the answer even if it cannot be kept.
  await claim
    .keep(reply)
    .then(kept => runtime.table.transact([kept]))
    .catch(error => warn(context, 'an answer was not kept', error))
}

/** Only 2xx answers are kept. After any other the key is free again, at the latest when its lease ends. */
async function releaseKey({ internal: context }: Request<PartialContext>): Promise<void> {
  const releasing = context.claim?.release()
  await releasing?.catch(error => warn(context, 'an idempotency key stays taken a while', error))
}

function warn({ runtime, requestId }: RequestContext, message: string, error: unknown): void {
  runtime.log('warn', message, { request_id: requestId, error: String(error) })
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
  const ifMine = {
    ConditionExpression: 'nonce = :nonce AND attribute_not_exists(answer)',
    ExpressionAttributeValues: { ':nonce': nonce },
  }
  return {
    isKept: false,
    keep: async reply => {
      const answer = await packAnswer(context, reply, Key)
      return { onConditionFailed: 'idempotency', Update: { Key, ...setMembers({ answer }, ifMine) } }
    },
    release: () => context.runtime.table.write({ Delete: { Key, ...ifMine } }).catch(ignoreConditionFailed),
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
): Promise<AnswerBody> {
  if (kept.request_hash !== requestHash) {
    throw new ApiError('IDEMPOTENCY_CONFLICT', 'This Idempotency-Key was used for another request.')
  }
  if (kept.answer) return await unpackAnswer(runtime, kept.answer, Key)
  const message = 'The first request with this Idempotency-Key is still running.'
  throw new ApiError('IDEMPOTENCY_CONFLICT', message, { retryAfterSeconds: 1 })
}

const LARGEST_INLINE_BYTES = 300_000
/** The parts of a large answer outlive the record that refers to them. */
const SPARE_MS = 60_000

/** Compressed, and sealed since it may show a secret. */
async function packAnswer({ route, runtime, nowMs }: Needs, reply: Reply, Key: Key) {
  const { json, etag } = answerBodyOf(route.endpoint, reply)
  const { key, bytes } = sealBytes(await compressText(json), lockOf(runtime, Key))
  const packed = await packBytes(runtime.table, bytes, nowMs + KEPT_MS + SPARE_MS, LARGEST_INLINE_BYTES)
  return { ...packed, ...(etag && { etag }), key }
}

/** Returns the answer exactly as it was packed. Throws if its parts or the key are missing. */
async function unpackAnswer(
  runtime: Runtime,
  { key, etag, ...packed }: KeptAnswer,
  Key: Key,
): Promise<AnswerBody> {
  const bytes = await unpackBytes(runtime.table, packed)
  const opened = bytes && openBytes({ key, bytes }, lockOf(runtime, Key))
  if (!opened) throw new Error(`A kept answer of key ${key} cannot be opened.`)
  return { json: await decompressText(opened), etag }
}

function lockOf({ environment }: Runtime, { pk }: Key): Lock {
  return { secret: required(environment, 'PRIVATE_KEY'), use: 'kept answer', place: pk }
}
