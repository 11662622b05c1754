// The service under faults: its table fails, its workers crash, and its queues repeat and delay messages.
import type * as z from 'zod/mini'
import { adminCategories } from '../../../shared/categories/contract.ts'
import type { Endpoint } from '../../../shared/http/endpoint.ts'
import { adminPosts } from '../../../shared/posts/contract.ts'
import { listComingDue } from '../../../shared/posts/store/scheduled.ts'
import { type Runtime, setRuntime } from '../../../shared/runtime/runtime.ts'
import { type ListSizes, openTable } from '../../../shared/table/client.ts'
import { burstKey } from '../../../shared/table/design.ts'
import { adminWebhooks } from '../../../shared/webhooks/contract.ts'
import type { Interceptor } from '../../support/faults/call-proxy.ts'
import { chance, createFaultInjector } from '../../support/faults/faults.ts'
import { newTable } from '../../support/new-table.ts'
import { batchOf } from '../../support/queue.ts'
import { type CallInput, callFunction, sweep, WORKERS } from '../functions.ts'
import { type Batch, openQueues } from '../queues.ts'
import { adminToken, environment } from '../world.ts'
import { retryUntilKnown } from './retry-until-known.ts'
import { openFaultyWorkers } from './workers.ts'

/** The faults of a table, without hanging, which takes seconds. */
const FAULT_KINDS = [
  'conflict',
  'throttled',
  'failed',
  'lost',
  'partly',
  'crashBefore',
  'crashAfter',
] as const
const RATE_FACTOR = 2
/** Longer than the sweep leaves outbox rows and claims alone. */
const ROUND_MS = 61_000
const MAX_ROUNDS = 40

type Options = {
  startMs: number
  sizes: ListSizes
  seed: number
  /** Subscribes to every event, once alone and once in bursts. */
  hookUrl: string
  /** Replaces the random faults of the table. */
  interceptor?: Interceptor
  /** Replaces the random faults of the queues. */
  rollQueues?: () => number
}

/** Has its own table. */
export async function openFaultyWorld(options: Options) {
  const { startMs, sizes, seed, hookUrl, interceptor, rollQueues } = options
  const { client, endpoint, tableName, dump, stop } = await newTable()
  const table = openTable(client, tableName, sizes)
  let nowMs = startMs - 1_000
  let rolls = 0
  const faultCounts = new Map<string, number>()
  const onFault = (kind: string) => faultCounts.set(kind, (faultCounts.get(kind) ?? 0) + 1)
  const roll = rollQueues ?? (() => chance(seed, `queue ${++rolls}`))
  const queues = openQueues(() => nowMs, roll)
  const clean: Runtime = {
    environment,
    table,
    sqs: queues.sqs,
    sender: queues.sender,
    clock: () => nowMs,
    log: () => undefined,
  }
  const token = await adminToken(table, Math.floor(nowMs / 1000))
  setRuntime(clean)
  const hook = { name: 'Hook', url: hookUrl, events: ['*'] }
  await callFunction(adminWebhooks.createWebhook, { body: hook }, token)
  const builds = { ...hook, name: 'Builds', quiet_seconds: 60, max_wait_seconds: 120 }
  await callFunction(adminWebhooks.createWebhook, { body: builds }, token)
  nowMs = startMs
  const faults = interceptor ?? createFaultInjector({ seed, kinds: FAULT_KINDS, scale: RATE_FACTOR, onFault })
  const workers = await openFaultyWorkers(endpoint, tableName, clean, faults)

  const call = <Data extends z.ZodMiniType>(
    endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
    input: CallInput = {},
  ) => {
    const request = () => callFunction(endpoint, input, token)
    if (endpoint.method === 'GET') return request()
    return retryUntilKnown(table, endpoint, input, {
      attempt: () => workers.run(request),
      read: async (kind, id) => {
        const input = { params: { id } }
        return kind === 'post'
          ? (await callFunction(adminPosts.getPost, input, token)).read()
          : (await callFunction(adminCategories.getCategory, input, token)).read()
      },
    })
  }

  const consumeBatch = async ({ queue, messages }: Batch): Promise<void> => {
    const event = batchOf(...messages.map(({ message }) => message.body))
    const outcome = await workers.run(() => WORKERS[queue](event))
    const failed = new Set(outcome?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    // A message that was done is delivered again if it could not be deleted.
    const isRepeated = outcome === undefined || roll() < 0.1
    queues.putBack(messages.filter((_, n) => isRepeated || failed.has(`message-${n}`)))
  }

  /** No message, outbox row, burst, delivery that is being sent, or post that is due but not announced. */
  const isSettled = async (): Promise<boolean> => {
    const items = await dump()
    const due = await listComingDue(table, Math.floor(nowMs / 1000), 1)
    if (due.length > 0 || !queues.isEmpty()) return false
    return !items.some(
      item =>
        item.pk.startsWith('OUTBOX#') ||
        item.sk === burstKey(0).sk ||
        (item.pk.startsWith('DELIVERIES#') && item.status === 'sending'),
    )
  }

  const runSweep = async (): Promise<void> => {
    await workers.run(sweep).catch(() => undefined)
  }

  const consumeAll = async (): Promise<void> => {
    for (let batch = queues.take(); batch; batch = queues.take()) await consumeBatch(batch)
  }

  /** Advances the clock and runs the workers, which may fail, until nothing is left to do. */
  const drain = async (model: { advance: (ms: number) => void }): Promise<void> => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      for (const clock of [{ advance }, model]) clock.advance(ROUND_MS)
      await runSweep()
      await consumeAll()
      if (await isSettled()) return
    }
    throw new Error(`After ${MAX_ROUNDS} rounds there is still work to do.`)
  }

  const advance = (ms: number) => {
    nowMs += ms
  }
  return {
    table,
    call,
    drain,
    runSweep,
    consumeAll,
    advance,
    queues,
    faultCounts,
    /** Does nothing: `drain` does this work. */
    catchUp: async () => undefined,
    updateIndex: async () => undefined,
    dump,
    takeEvents: queues.takeEvents,
    stop: async () => {
      queues.sqs.destroy()
      await workers.stop()
      await stop()
    },
  }
}

export type FaultyWorld = Awaited<ReturnType<typeof openFaultyWorld>>
