// Reads and changes the bodies of AWS calls: items of a write, halves of a batch, delays of messages.
import * as z from 'zod/mini'
import type { Call } from './call.ts'

const attributes = z.record(z.string(), z.unknown())
const keyed = z.object({ TableName: z.string(), Key: z.optional(attributes), Item: z.optional(attributes) })
const transaction = z.object({ TransactItems: z.array(z.record(z.string(), keyed)) })
const batchGet = z.object({
  RequestItems: z.record(z.string(), z.looseObject({ Keys: z.array(attributes) })),
})
const batchWrite = z.object({ RequestItems: z.record(z.string(), z.array(z.unknown())) })
const sending = z.looseObject({ QueueUrl: z.string(), Entries: z.array(z.looseObject({ Id: z.string() })) })

const PLAIN_WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem'])

export function isPlainWrite({ operation }: Call): boolean {
  return PLAIN_WRITES.has(operation)
}

export function isTransaction({ operation }: Call): boolean {
  return operation === 'TransactWriteItems'
}

/** The names of the items that a write or a transaction changes, in the order of its actions. */
export function itemsOf(call: Call): string[] {
  const content: unknown = JSON.parse(call.body.toString())
  if (isPlainWrite(call)) return [itemName(keyed.parse(content))]
  if (!isTransaction(call)) return []
  return transaction.parse(content).TransactItems.flatMap(action => Object.values(action).map(itemName))
}

function itemName({ TableName, Key, Item }: z.infer<typeof keyed>): string {
  const { pk, sk } = Key ?? Item ?? {}
  return JSON.stringify([TableName, pk, sk])
}

type HalvedBatch = { rest: Call | undefined; unprocessed: unknown }

/** Splits a batch: a call with the first half, and the second half in the format of the answer. */
export function halveBatch(call: Call): HalvedBatch {
  const content: unknown = JSON.parse(call.body.toString())
  if (call.operation === 'BatchGetItem') {
    const { RequestItems } = batchGet.parse(content)
    const [first, second] = halves(RequestItems, ({ Keys, ...rest }) =>
      cut(Keys).map(half => ({ ...rest, Keys: half })),
    )
    const isEmpty = Object.values(first).every(({ Keys }) => Keys.length === 0)
    return { rest: isEmpty ? undefined : withBody(call, { RequestItems: first }), unprocessed: second }
  }
  if (call.operation === 'BatchWriteItem') {
    const [first, second] = halves(batchWrite.parse(content).RequestItems, cut)
    const isEmpty = Object.values(first).every(all => all.length === 0)
    return { rest: isEmpty ? undefined : withBody(call, { RequestItems: first }), unprocessed: second }
  }
  const { Entries, ...rest } = sending.parse(content)
  const [first = [], second = []] = cut(Entries)
  const unprocessed = second.map(({ Id }) => ({ Id, SenderFault: false, Code: 'InternalError' }))
  return { rest: first.length === 0 ? undefined : withBody(call, { ...rest, Entries: first }), unprocessed }
}

/** Adds a delay to each message of a batch. */
export function delayMessages(call: Call, seconds: number): Call {
  const { Entries, ...rest } = sending.parse(JSON.parse(call.body.toString()))
  const later = Entries.map(entry => ({
    ...entry,
    DelaySeconds: Math.min(900, Number(entry.DelaySeconds ?? 0) + seconds),
  }))
  return withBody(call, { ...rest, Entries: later })
}

export function isFifo(call: Call): boolean {
  return sending.parse(JSON.parse(call.body.toString())).QueueUrl.endsWith('.fifo')
}

function withBody(call: Call, content: unknown): Call {
  return { ...call, body: Buffer.from(JSON.stringify(content)) }
}

function cut<T>(all: T[]): T[][] {
  const middle = Math.floor(all.length / 2)
  return [all.slice(0, middle), all.slice(middle)]
}

function halves<T>(all: Record<string, T>, split: (value: T) => T[]): [Record<string, T>, Record<string, T>] {
  const pick = (n: number) =>
    Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => {
        const half = split(value)[n]
        return half === undefined ? [] : [[name, half]]
      }),
    )
  return [pick(0), pick(1)]
}
