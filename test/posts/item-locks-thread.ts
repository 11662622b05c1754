// A thread with a proxy that locks the items of a transaction while it runs, so that writes conflict as in
// DynamoDB. It posts the address of the proxy, then every conflict.
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import * as z from 'zod/mini'
import { type Call, failure, type Interceptor, startCallProxy } from '../support/faults/call-proxy.ts'

const MIN_MS = 20
const MAX_MS = 40

const Attributes = z.record(z.string(), z.unknown())
const Write = z.object({ TableName: z.string(), Key: z.optional(Attributes), Item: z.optional(Attributes) })
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), Write)) })

/** The names of the items that a write changes, in the order of its actions; none for a read. */
function itemsOf({ operation, body }: Call): string[] {
  const content: unknown = JSON.parse(body.toString())
  if (['PutItem', 'UpdateItem', 'DeleteItem'].includes(operation)) return [itemName(Write.parse(content))]
  if (operation !== 'TransactWriteItems') return []
  return Transaction.parse(content).TransactItems.flatMap(action => Object.values(action).map(itemName))
}

function itemName({ TableName, Key, Item }: z.infer<typeof Write>): string {
  const { pk, sk } = Key ?? Item ?? {}
  return JSON.stringify([TableName, pk, sk])
}

const locked = new Set<string>()

const lockItems: Interceptor = async (call, next) => {
  const items = itemsOf(call)
  const isTransaction = call.operation === 'TransactWriteItems'
  if (items.some(item => locked.has(item))) {
    parentPort?.postMessage('conflict')
    if (!isTransaction) return failure(400, 'TransactionConflictException')
    const CancellationReasons = items.map(item => ({
      Code: locked.has(item) ? 'TransactionConflict' : 'None',
    }))
    return failure(400, 'TransactionCanceledException', { CancellationReasons })
  }
  if (!isTransaction) return next(call)
  for (const item of items) locked.add(item)
  try {
    const [answer] = await Promise.all([next(call), pause(MIN_MS + Math.random() * (MAX_MS - MIN_MS))])
    return answer
  } finally {
    for (const item of items) locked.delete(item)
  }
}

const { endpoint } = await startCallProxy(z.string().parse(workerData), lockItems)
parentPort?.postMessage(endpoint)
