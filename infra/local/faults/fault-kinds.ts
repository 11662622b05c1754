// What AWS does on a bad day and the emulators never do: one entry for each kind of fault.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { delayMessages, halveBatch, isFifo, isPlainWrite, isTransaction, itemsOf } from './bodies.ts'
import { type Answer, type Call, ConnectionClosed, type Crash, failure, json, type Next } from './call.ts'

export type FaultKind = {
  /** Of a thousand calls that it can hit. */
  perMille: number
  appliesTo: (call: Call) => boolean
  /** `chance` is a number from 0 to below 1, the same again with the same seed. */
  inject: (call: Call, next: Next, by: { chance: number; crash: Crash }) => Promise<Answer>
}

/** Longer than the service waits for an answer. */
const HANGS_MS = 4_000
const MOST_LATE_SECONDS = 3

function any() {
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
  /** Nothing was done, and nobody can tell by the answer. */
  failed: { perMille: 10, appliesTo: any, inject: async () => failure(500, 'InternalServerError') },
  /** It was done, and the answer is lost. */
  lost: {
    perMille: 20,
    appliesTo: any,
    inject: async (call, next) => {
      await next(call)
      throw new ConnectionClosed()
    },
  },
  /** It was done, and the answer comes when nobody waits for it any more. */
  hangs: {
    perMille: 1,
    appliesTo: isDynamodb,
    inject: async (call, next) => {
      const answer = await next(call)
      await pause(HANGS_MS, undefined, { ref: false })
      return answer
    },
  },
  /** Half of a batch is left undone; of one that has one item, all. */
  partly: { perMille: 40, appliesTo: isBatch, inject: answerPartly },
  twice: {
    perMille: 40,
    appliesTo: isSending,
    inject: async (call, next) => {
      await next(call)
      return next(call)
    },
  },
  /** What is sent after it comes before it. */
  late: {
    perMille: 40,
    appliesTo: call => isSending(call) && !isFifo(call),
    inject: async (call, next, { chance }) =>
      next(delayMessages(call, Math.ceil(chance * MOST_LATE_SECONDS))),
  },
  /** It stays in its queue, and comes again. */
  undeleted: {
    perMille: 40,
    appliesTo: ({ operation }) => operation === 'DeleteMessage',
    inject: async () => json(200, {}),
  },
  crashBefore: {
    perMille: 2,
    appliesTo: any,
    inject: async ({ session }, _next, { crash }) => {
      crash(session)
      throw new ConnectionClosed()
    },
  },
  crashAfter: {
    perMille: 2,
    appliesTo: any,
    inject: async (call, next, { crash }) => {
      await next(call)
      crash(call.session)
      throw new ConnectionClosed()
    },
  },
} as const satisfies Record<string, FaultKind>

export type FaultName = keyof typeof FAULT_KINDS

/** The answer to a write some of whose items another transaction is just writing. */
export function conflict(call: Call, which: Set<number>, actions: number): Answer {
  if (isPlainWrite(call)) return failure(400, 'TransactionConflictException')
  const reasons = Array.from({ length: actions }, (_, n) => ({
    Code: which.has(n) ? 'TransactionConflict' : 'None',
  }))
  return failure(400, 'TransactionCanceledException', { CancellationReasons: reasons })
}

const fields = z.record(z.string(), z.unknown())

async function answerPartly(call: Call, next: Next): Promise<Answer> {
  const { rest, unprocessed } = halveBatch(call)
  const answer = rest ? await next(rest) : json(200, {})
  if (answer.status !== 200) return answer
  const name = { BatchGetItem: 'UnprocessedKeys', BatchWriteItem: 'UnprocessedItems' }[call.operation]
  const content = fields.parse(JSON.parse(answer.body.toString()))
  return json(200, { ...content, [name ?? 'Failed']: unprocessed })
}
