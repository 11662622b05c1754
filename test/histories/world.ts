// The service in this process: real functions on a real table, with a clock and queues of the test.
import type * as z from 'zod/mini'
import { isOperation } from '../../shared/batch/batch.ts'
import type { QueueName } from '../../shared/events/message.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { type ListSizes, openTable, type Table } from '../../shared/table/client.ts'
import { createUserWith } from '../support/create.ts'
import { newTable } from '../support/new-table.ts'
import { batchOf } from '../support/queue.ts'
import { wantEveryEvent } from '../support/work.ts'
import { type CallInput, callFunction, callInBatch, sweep, WORKERS } from './functions.ts'
import { openQueues, QUEUE_URLS } from './queues.ts'

export type { CallInput } from './functions.ts'

export const environment = readEnvironment({
  TABLE_NAME: 'test',
  SITE_URL: 'https://site.example',
  LIMIT_SCALE: '1000000',
  CLIENT_KEY: 'the key of client addresses',
  PRIVATE_KEY: 'the key of links in mails and webhook secrets',
  ALLOW_LOOPBACK_WEBHOOKS: 'true',
  ...QUEUE_URLS,
})

/** `planted`: the table with a fault, which a check must find. */
export async function openHistoryWorld(
  startMs: number,
  sizes: ListSizes,
  planted: (table: Table) => Table = table => table,
) {
  const { client, tableName, dump, stop } = await newTable()
  const table = planted(openTable(client, tableName, sizes))
  await wantEveryEvent(table)
  const token = await adminToken(table, Math.floor(startMs / 1000))
  let nowMs = startMs
  const clock = () => nowMs
  const queues = openQueues(clock)
  setRuntime({ environment, table, sqs: queues.sqs, sender: queues.sender, clock, log: () => undefined })

  /** Every third write of content is the operation of a batch. */
  let writes = 0
  const call = <Data extends z.ZodMiniType>(
    endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
    ask: CallInput = {},
  ) => {
    const isBatched = isOperation(endpoint) && ++writes % 3 === 0
    return (isBatched ? callInBatch : callFunction)(endpoint, ask, token)
  }

  /** Runs the workers of all messages of the queues that are due; every message is delivered twice. */
  const consumeTwice = async (...names: QueueName[]) => {
    for (let batch = queues.take(names); batch; batch = queues.take(names)) {
      const event = batchOf(...batch.messages.map(({ message }) => message.body))
      for (const run of [WORKERS[batch.queue], WORKERS[batch.queue]]) {
        const { batchItemFailures } = await run(event)
        if (batchItemFailures.length > 0) throw new Error(`Messages of ${batch.queue} failed.`)
      }
    }
  }
  const catchUp = async () => {
    await sweep()
    await consumeTwice('events', 'jobs')
  }

  return {
    table,
    call,
    catchUp,
    updateIndex: () => consumeTwice('index'),
    dump,
    takeEvents: queues.takeEvents,
    advance: (ms: number) => {
      nowMs += ms
    },
    stop: async () => {
      queues.sqs.destroy()
      await stop()
    },
  }
}

export type HistoryWorld = Awaited<ReturnType<typeof openHistoryWorld>>

export async function adminToken(table: Table, atSeconds: number): Promise<string> {
  const profile = { name: 'Ada', email: 'ada@example.com', atSeconds }
  return (await createUserWith(table, ['admin'], profile)).token
}
