// The service of a history on a bad day: its table fails, its workers crash, its queues are as queues may be.
import { SQSClient } from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type * as z from 'zod/mini'
import { clientSettings } from '../../infra/local/account.ts'
import type { Interceptor } from '../../infra/local/faults/call.ts'
import { chance } from '../../infra/local/faults/chance.ts'
import { createFaultInjector } from '../../infra/local/faults/faults.ts'
import { adminCategories } from '../../shared/categories/contract.ts'
import type { QueueName } from '../../shared/events/message.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { listComingDue } from '../../shared/posts/store/scheduled.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import type { Runtime } from '../../shared/runtime/runtime.ts'
import { type ListSizes, openTable } from '../../shared/table/client.ts'
import { OPEN_INDEX } from '../../shared/table/design.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { batchOf } from '../world/queue.ts'
import { createTable, dumpOf, type TableWorld } from '../world/table.ts'
import { untilKnown } from './faulty-calls.ts'
import { type Batch, openFaultyQueues } from './faulty-queues.ts'
import { openFaultyWorkers } from './faulty-workers.ts'
import { type Ask, callFunction, deliverAll, enter, fanOut, indexSearch, sweep, tidy } from './functions.ts'
import type { Model } from './model.ts'
import { adminToken } from './world.ts'

/** Those that a table has; one that hangs would take seconds. */
const KINDS = ['conflict', 'throttled', 'failed', 'lost', 'partly', 'crashBefore', 'crashAfter'] as const
const TIMES_THE_RATE = 2
/** More than rows and claims are left alone. */
const ROUND_MS = 61_000
const MOST_ROUNDS = 40

const environment = readEnvironment({
  TABLE_NAME: 'test',
  SITE_URL: 'https://site.example',
  LIMIT_SCALE: '1000000',
  CLIENT_KEY: 'the key of client addresses',
  LINK_KEY: 'the key of links in mails',
  WEBHOOK_KEY: 'the key that seals webhook secrets',
  ALLOW_LOOPBACK_WEBHOOKS: 'true',
  REFUSE_UNDECLARED_EVENTS: 'true',
})

const WORKERS: Partial<Record<QueueName, (event: SQSEvent) => Promise<SQSBatchResponse>>> = {
  events: fanOut,
  tidy,
  index: indexSearch,
  deliveries: deliverAll,
}

let tables = 0

/** One of many on the same database. `hookUrl` is subscribed to every event; `interceptor` takes the place of random faults. */
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
  const met = new Map<string, number>()
  const onFault = (kind: string) => met.set(kind, (met.get(kind) ?? 0) + 1)
  const roll = () => chance(seed, `queue ${++rolls}`)
  const queues = openFaultyQueues(roll, () => nowMs)
  const sqs = new SQSClient(clientSettings('http://127.0.0.1:1'))
  const clean: Runtime = {
    environment,
    table,
    sqs,
    sender: queues.sender,
    clock: () => nowMs,
    log: () => undefined,
  }
  const token = await adminToken(table, Math.floor(nowMs / 1000))
  enter(clean)
  const hook = { name: 'Hook', url: hookUrl, events: ['*'] }
  await callFunction(adminWebhooks.createWebhook, { body: hook }, token)
  nowMs = startMs
  const faults = interceptor ?? createFaultInjector({ seed, kinds: KINDS, scale: TIMES_THE_RATE, onFault })
  const workers = await openFaultyWorkers(database.endpoint, tableName, clean, faults)

  const call = <Data extends z.ZodMiniType>(
    endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
    ask: Ask = {},
  ) => {
    const asking = () => callFunction(endpoint, ask, token)
    if (endpoint.method === 'GET') return asking()
    return untilKnown(table, endpoint, ask, {
      attempt: () => workers.run(asking),
      look: async (kind, id) => {
        const asked = { params: { id } }
        return kind === 'post'
          ? (await callFunction(adminPosts.getPost, asked, token)).read()
          : (await callFunction(adminCategories.getCategory, asked, token)).read()
      },
    })
  }

  const work = async ({ queue, lying }: Batch): Promise<void> => {
    const worker = WORKERS[queue]
    if (!worker) throw new Error(`Nobody expects a message in ${queue}.`)
    const outcome = await workers.run(() => worker(batchOf(...lying.map(({ message }) => message.body))))
    const failed = new Set(outcome?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    // What was done comes again, too, when it could not be deleted.
    const isKept = outcome === undefined || roll() < 0.1
    queues.putBack(lying.filter((_, n) => isKept || failed.has(`message-${n}`)))
  }

  /** No message, no outbox row, no delivery that is under way, and no post that is due and not announced. */
  const isSettled = async (): Promise<boolean> => {
    const items = await dumpOf(database.client, tableName)
    const due = await listComingDue(table, Math.floor(nowMs / 1000), 1)
    if (due.length > 0 || !queues.isEmpty()) return false
    return !items.some(item => item.pk.startsWith('OUTBOX#') || OPEN_INDEX.pk in item)
  }

  /** Time goes on until nothing is left to be done; every run on the way may fail. */
  const drain = async (model: Model): Promise<void> => {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      for (const each of [{ moveOn }, model]) each.moveOn(ROUND_MS)
      await workers.run(sweep).catch(() => undefined)
      for (let batch = queues.take(); batch; batch = queues.take()) await work(batch)
      if (await isSettled()) return
    }
    throw new Error(`After ${MOST_ROUNDS} rounds there is still something to be done.`)
  }

  const moveOn = (ms: number) => {
    nowMs += ms
  }
  return {
    table,
    call,
    drain,
    moveOn,
    met,
    /** Nothing: that is for `drain`. */
    catchUp: async () => undefined,
    followIndex: async () => undefined,
    dump: () => dumpOf(database.client, tableName),
    takeEvents: queues.takeEvents,
    stop: async () => {
      sqs.destroy()
      await workers.stop()
    },
  }
}

export type FaultyWorld = Awaited<ReturnType<typeof openFaultyWorld>>
