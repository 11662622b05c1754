// The service under faults: its table fails, its workers crash, and its queues repeat and delay messages.
import { SQSClient } from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type * as z from 'zod/mini'
import { clientSettings } from '../../../infra/local/account.ts'
import type { Interceptor } from '../../../infra/local/faults/call.ts'
import { chance } from '../../../infra/local/faults/chance.ts'
import { createFaultInjector } from '../../../infra/local/faults/faults.ts'
import { adminCategories } from '../../../shared/categories/contract.ts'
import { QUEUE_NAMES, QUEUES, type QueueName } from '../../../shared/events/message.ts'
import { bodyWithRow } from '../../../shared/events/message-row.ts'
import type { Endpoint } from '../../../shared/http/endpoint.ts'
import { adminPosts } from '../../../shared/posts/contract.ts'
import { listComingDue } from '../../../shared/posts/store/scheduled.ts'
import { readEnvironment } from '../../../shared/runtime/environment.ts'
import { type Runtime, setRuntime } from '../../../shared/runtime/runtime.ts'
import { type ListSizes, openTable } from '../../../shared/table/client.ts'
import { OPEN_INDEX } from '../../../shared/table/design.ts'
import { adminWebhooks } from '../../../shared/webhooks/contract.ts'
import { batchOf } from '../../world/queue.ts'
import { createTable, dumpOf, type TableWorld } from '../../world/table.ts'
import { type CallInput, callFunction, deliverAll, fanOut, indexSearch, sweep, tidy } from '../functions.ts'
import type { Model } from '../model.ts'
import { adminToken } from '../world.ts'
import { type Batch, openFaultyQueues } from './queues.ts'
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

const environment = readEnvironment({
  TABLE_NAME: 'test',
  SITE_URL: 'https://site.example',
  LIMIT_SCALE: '1000000',
  CLIENT_KEY: 'the key of client addresses',
  LINK_KEY: 'the key of links in mails',
  WEBHOOK_KEY: 'the key that seals webhook secrets',
  ALLOW_LOOPBACK_WEBHOOKS: 'true',
  REFUSE_UNDECLARED_EVENTS: 'true',
  ...Object.fromEntries(QUEUE_NAMES.map(name => [QUEUES[name].urlVariable, `http://queues/${name}`])),
})

const WORKERS: Partial<Record<QueueName, (event: SQSEvent) => Promise<SQSBatchResponse>>> = {
  events: fanOut,
  tidy,
  index: indexSearch,
  deliveries: deliverAll,
}

let tables = 0

/** Has its own table. `hookUrl` subscribes to every event; `interceptor` replaces the random faults. */
export async function openFaultyWorld(
  database: TableWorld,
  options: { startMs: number; sizes: ListSizes; seed: number; hookUrl: string; interceptor?: Interceptor },
) {
  const { startMs, sizes, seed, hookUrl, interceptor } = options
  const tableName = `history-${++tables}`
  await createTable(database.client, tableName)
  const table = openTable(database.client, tableName, sizes)
  let nowMs = startMs - 1_000
  let rolls = 0
  const faultCounts = new Map<string, number>()
  const onFault = (kind: string) => faultCounts.set(kind, (faultCounts.get(kind) ?? 0) + 1)
  const roll = () => chance(seed, `queue ${++rolls}`)
  const queues = openFaultyQueues(roll, () => nowMs)
  const sqs = new SQSClient(clientSettings('http://127.0.0.1:1'))
  // The only call of these functions that needs an answer: how many messages a queue has.
  sqs.middlewareStack.add(
    () => async args => {
      const Attributes = queues.attributesOf(String(Object(args.input).QueueUrl))
      return { response: undefined, output: { $metadata: {}, Attributes } }
    },
    { step: 'initialize', name: 'depths' },
  )
  const clean: Runtime = {
    environment,
    table,
    sqs,
    sender: queues.sender,
    clock: () => nowMs,
    log: () => undefined,
  }
  const token = await adminToken(table, Math.floor(nowMs / 1000))
  setRuntime(clean)
  const hook = { name: 'Hook', url: hookUrl, events: ['*'] }
  await callFunction(adminWebhooks.createWebhook, { body: hook }, token)
  nowMs = startMs
  const faults = interceptor ?? createFaultInjector({ seed, kinds: FAULT_KINDS, scale: RATE_FACTOR, onFault })
  const workers = await openFaultyWorkers(database.endpoint, tableName, clean, faults)

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
    const worker = WORKERS[queue]
    if (!worker) throw new Error(`A history sends no messages to ${queue}.`)
    const outcome = await workers.run(() =>
      worker(batchOf(...messages.map(({ message }) => bodyWithRow(message)))),
    )
    const failed = new Set(outcome?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    // A message that was done is delivered again if it could not be deleted.
    const isRepeated = outcome === undefined || roll() < 0.1
    queues.putBack(messages.filter((_, n) => isRepeated || failed.has(`message-${n}`)))
  }

  /** There is no message, no outbox row, no open delivery and no post that is due but not announced. */
  const isSettled = async (): Promise<boolean> => {
    const items = await dumpOf(database.client, tableName)
    const due = await listComingDue(table, Math.floor(nowMs / 1000), 1)
    if (due.length > 0 || !queues.isEmpty()) return false
    return !items.some(item => item.pk.startsWith('OUTBOX#') || OPEN_INDEX.pk in item)
  }

  /** Advances the clock and runs the workers, which may fail, until nothing is left to do. */
  const drain = async (model: Model): Promise<void> => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      for (const clock of [{ advance }, model]) clock.advance(ROUND_MS)
      await workers.run(sweep).catch(() => undefined)
      for (let batch = queues.take(); batch; batch = queues.take()) await consumeBatch(batch)
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
    advance,
    faultCounts,
    /** Does nothing: `drain` does this work. */
    catchUp: async () => undefined,
    updateIndex: async () => undefined,
    dump: () => dumpOf(database.client, tableName),
    takeEvents: queues.takeEvents,
    stop: async () => {
      sqs.destroy()
      await workers.stop()
    },
  }
}

export type FaultyWorld = Awaited<ReturnType<typeof openFaultyWorld>>
