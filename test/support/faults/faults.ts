// Faults of a table that occur on AWS and never in the emulators. The same seed repeats the same faults.
import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import {
  type Answer,
  type Call,
  ConnectionClosed,
  type Crash,
  failure,
  type Interceptor,
  json,
  type Next,
} from './call-proxy.ts'

type FaultKind = {
  /** How many of a thousand calls to which it applies. */
  perMille: number
  appliesTo: (call: Call) => boolean
  /** `chance` is a reproducible number, at least 0 and below 1. */
  inject: (call: Call, next: Next, by: { chance: number; crash: Crash }) => Promise<Answer>
}

const WRITES = ['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems']

function always() {
  return true
}

export const FAULT_KINDS = {
  /** With another transaction on the item, or on one of the items. */
  conflict: {
    perMille: 20,
    appliesTo: ({ operation }) => WRITES.includes(operation),
    inject: async (call, _next, { chance }) => {
      if (call.operation !== 'TransactWriteItems') return failure(400, 'TransactionConflictException')
      const { TransactItems } = Transaction.parse(contentOf(call))
      const hit = Math.floor(chance * TransactItems.length)
      const CancellationReasons = TransactItems.map((_, n) => ({
        Code: n === hit ? 'TransactionConflict' : 'None',
      }))
      return failure(400, 'TransactionCanceledException', { CancellationReasons })
    },
  },
  throttled: {
    perMille: 10,
    appliesTo: always,
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
  /** The second half of a batch is not processed; a batch of one item is not processed at all. */
  partly: {
    perMille: 40,
    appliesTo: ({ operation }) => operation.startsWith('Batch'),
    inject: answerPartly,
  },
  crashBefore: {
    perMille: 2,
    appliesTo: always,
    inject: async (_call, _next, { crash }) => {
      crash()
      throw new ConnectionClosed()
    },
  },
  crashAfter: {
    perMille: 2,
    appliesTo: always,
    inject: async (call, next, { crash }) => {
      await next(call)
      crash()
      throw new ConnectionClosed()
    },
  },
} as const satisfies Record<string, FaultKind>

export type FaultName = keyof typeof FAULT_KINDS

const Transaction = z.object({ TransactItems: z.array(z.unknown()) })
const Keyed = z.looseObject({ Keys: z.array(z.unknown()) })
const Batch = z.looseObject({ RequestItems: z.record(z.string(), z.union([Keyed, z.array(z.unknown())])) })
const AnyObject = z.looseObject({})

function contentOf(call: Call | Answer): unknown {
  return JSON.parse(call.body.toString())
}

async function answerPartly(call: Call, next: Next): Promise<Answer> {
  const { RequestItems, ...rest } = Batch.parse(contentOf(call))
  const [first, second] = [0, 1].map(half =>
    Object.entries(RequestItems).flatMap(([table, all]) => {
      const items = Array.isArray(all) ? all : all.Keys
      const middle = Math.floor(items.length / 2)
      const some = half === 0 ? items.slice(0, middle) : items.slice(middle)
      return some.length > 0 ? [[table, Array.isArray(all) ? some : { ...all, Keys: some }] as const] : []
    }),
  )
  const body = Buffer.from(JSON.stringify({ ...rest, RequestItems: Object.fromEntries(first ?? []) }))
  const answer = first?.length ? await next({ ...call, body }) : json(200, { Responses: {} })
  if (answer.status !== 200) return answer
  const name = call.operation === 'BatchGetItem' ? 'UnprocessedKeys' : 'UnprocessedItems'
  return json(200, { ...AnyObject.parse(contentOf(answer)), [name]: Object.fromEntries(second ?? []) })
}

type FaultOptions = {
  seed: number
  kinds: readonly FaultName[]
  /** Multiplies the rate of each kind. */
  scale: number
  /** Called for every fault. */
  onFault?: (kind: FaultName) => void
}

/** Seed, operation and the number of such calls before decide about a call. */
export function createFaultInjector({ seed, kinds, scale, onFault }: FaultOptions): Interceptor {
  const counts = new Map<string, number>()
  return (call, next, crash) => {
    const nth = (counts.get(call.operation) ?? 0) + 1
    counts.set(call.operation, nth)
    const stream = `${call.operation} ${nth}`
    const name = pickFault(call, kinds, chance(seed, stream) * 1000, scale)
    if (!name) return next(call)
    onFault?.(name)
    return FAULT_KINDS[name].inject(call, next, { chance: chance(seed, `${stream} ${name}`), crash })
  }
}

function pickFault(
  call: Call,
  kinds: readonly FaultName[],
  draw: number,
  scale: number,
): FaultName | undefined {
  let limit = 0
  return kinds.find(name => {
    const kind: FaultKind = FAULT_KINDS[name]
    if (!kind.appliesTo(call)) return false
    limit += kind.perMille * scale
    return draw < limit
  })
}

/** A reproducible number, at least 0 and below 1. */
export function chance(seed: number, name: string): number {
  return createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE() / 2 ** 32
}
