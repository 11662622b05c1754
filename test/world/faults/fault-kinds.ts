// The kinds of faults that occur on AWS and never in the emulators.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { delayMessages, halveBatch, isFifo, isPlainWrite, isTransaction, itemsOf } from './bodies.ts'
import { type Answer, type Call, ConnectionClosed, type Crash, failure, json, type Next } from './call.ts'

export type FaultKind = {
  /** How many of a thousand calls to which it applies. */
  perMille: number
  appliesTo: (call: Call) => boolean
  /** `chance` is a reproducible number, at least 0 and below 1. */
  inject: (call: Call, next: Next, by: { chance: number; crash: Crash }) => Promise<Answer>
}

/** Longer than the service's timeout. */
const HANGS_MS = 4_000
const MAX_LATE_SECONDS = 3

function always() {
  return true
}

function isDynamodb({ service }: Call) {
  return service === 'dynamodb'
}

function isSending({ operation }: Call) {
  return operation === 'SendMessageBatch'
}

function isBatch(call: Call) {
  return call.operation === 'BatchGetItem' || call.operation === 'BatchWriteItem' || isSending(call)
}

export const FAULT_KINDS = {
  conflict: {
    perMille: 20,
    appliesTo: call => isPlainWrite(call) || isTransaction(call),
    inject: async (call, _next, { chance }) => {
      const items = itemsOf(call)
      return conflict(call, new Set([Math.floor(chance * items.length)]), items.length)
    },
  },
  throttled: {
    perMille: 10,
    appliesTo: isDynamodb,
    inject: async () => failure(400, 'ProvisionedThroughputExceededException'),
  },
  /** Nothing was done, but the answer does not say so. */
  failed: { perMille: 10, appliesTo: always, inject: async () => failure(500, 'InternalServerError') },
  /** The call took effect, but its answer is lost. */
  lost: {
    perMille: 20,
    appliesTo: always,
    inject: async (call, next) => {
      await next(call)
      throw new ConnectionClosed()
    },
  },
  /** The call took effect, but its answer comes after the caller's timeout. */
  hangs: {
    perMille: 1,
    appliesTo: isDynamodb,
    inject: async (call, next) => {
      const answer = await next(call)
      await pause(HANGS_MS, undefined, { ref: false })
      return answer
    },
  },
  /** The second half of a batch is not processed; a batch of one item is not processed at all. */
  partly: { perMille: 40, appliesTo: isBatch, inject: answerPartly },
  twice: {
    perMille: 40,
    appliesTo: isSending,
    inject: async (call, next) => {
      await next(call)
      return next(call)
    },
  },
  /** Delays a message, so that later messages overtake it. */
  late: {
    perMille: 40,
    appliesTo: call => isSending(call) && !isFifo(call),
    inject: async (call, next, { chance }) => next(delayMessages(call, Math.ceil(chance * MAX_LATE_SECONDS))),
  },
  /** The message stays in its queue and is received again. */
  undeleted: {
    perMille: 40,
    appliesTo: ({ operation }) => operation === 'DeleteMessage',
    inject: async () => json(200, {}),
  },
  crashBefore: {
    perMille: 2,
    appliesTo: always,
    inject: async ({ accessKeyId }, _next, { crash }) => {
      crash(accessKeyId)
      throw new ConnectionClosed()
    },
  },
  crashAfter: {
    perMille: 2,
    appliesTo: always,
    inject: async (call, next, { crash }) => {
      await next(call)
      crash(call.accessKeyId)
      throw new ConnectionClosed()
    },
  },
} as const satisfies Record<string, FaultKind>

export type FaultName = keyof typeof FAULT_KINDS

/** The answer to a write that conflicts with another transaction on the items at these indexes. */
export function conflict(call: Call, indexes: Set<number>, actions: number): Answer {
  if (isPlainWrite(call)) return failure(400, 'TransactionConflictException')
  const reasons = Array.from({ length: actions }, (_, n) => ({
    Code: indexes.has(n) ? 'TransactionConflict' : 'None',
  }))
  return failure(400, 'TransactionCanceledException', { CancellationReasons: reasons })
}

const answerBody = z.record(z.string(), z.unknown())

async function answerPartly(call: Call, next: Next): Promise<Answer> {
  const { rest, unprocessed } = halveBatch(call)
  const answer = rest ? await next(rest) : json(200, {})
  if (answer.status !== 200) return answer
  const name = { BatchGetItem: 'UnprocessedKeys', BatchWriteItem: 'UnprocessedItems' }[call.operation]
  const content = answerBody.parse(JSON.parse(answer.body.toString()))
  return json(200, { ...content, [name ?? 'Failed']: unprocessed })
}
