// The service in this process: real functions on a real table, with a clock and queues of the test.
import type * as z from 'zod/mini'
import { clientSettings } from '../../infra/local/account.ts'
import { isOperation } from '../../shared/batch/batch.ts'
import { openSqs } from '../../shared/events/sqs.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { type ListSizes, openTable, type Table } from '../../shared/table/client.ts'
import { createUserWith } from '../support/create.ts'
import { newTable } from '../support/new-table.ts'
import { batchOf } from '../support/queue.ts'
import { wantEveryEvent } from '../support/work.ts'
import { type CallInput, callFunction, callInBatch, fanOut, indexSearch, jobs, sweep } from './functions.ts'
import { recordingQueues } from './queues.ts'

export type { CallInput } from './functions.ts'

const environment = readEnvironment({
  TABLE_NAME: 'test',
  SITE_URL: 'https://site.example',
  LIMIT_SCALE: '1000000',
  CLIENT_KEY: 'the key of client addresses',
  PRIVATE_KEY: 'the key of links in mails',
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
  const sqs = openSqs(clientSettings('http://127.0.0.1:1'))
  const queues = recordingQueues()
  let nowMs = startMs
  setRuntime({ environment, table, sqs, sender: queues.sender, clock: () => nowMs, log: () => undefined })

  /** Every third write of content is the operation of a batch. */
  let writes = 0
  const call = <Data extends z.ZodMiniType>(
    endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
    ask: CallInput = {},
  ) => {
    const isBatched = isOperation(endpoint) && ++writes % 3 === 0
    return (isBatched ? callInBatch : callFunction)(endpoint, ask, token)
  }

  /** Runs the sweep and the workers of all messages that are due; every message is delivered twice. */
  const catchUp = async () => {
    await sweep()
    const due = queues.takeDue(Math.floor(nowMs / 1000))
    const outcomes = [await fanOut(batchOf(...due)), await fanOut(batchOf(...due))]
    for (let lists = queues.takeJobs(); lists.length > 0; lists = queues.takeJobs()) {
      outcomes.push(await jobs(batchOf(...lists)), await jobs(batchOf(...lists)))
    }
    const failures = outcomes.flatMap(({ batchItemFailures }) => batchItemFailures)
    if (failures.length > 0) throw new Error(`${failures.length} messages failed.`)
  }

  /** Runs the index worker, as for the one message of a second, which is delivered twice. */
  const updateIndex = async () => {
    for (let next = queues.takeIndex(); next; next = queues.takeIndex()) {
      for (const message of [next, next]) {
        const { batchItemFailures } = await indexSearch(batchOf(message))
        if (batchItemFailures.length > 0) throw new Error('The index worker failed.')
      }
    }
  }

  return {
    table,
    call,
    catchUp,
    updateIndex,
    dump,
    takeEvents: queues.takeEvents,
    advance: (ms: number) => {
      nowMs += ms
    },
    stop: async () => {
      sqs.destroy()
      await stop()
    },
  }
}

export type HistoryWorld = Awaited<ReturnType<typeof openHistoryWorld>>

export async function adminToken(table: Table, atSeconds: number): Promise<string> {
  const profile = { name: 'Ada', email: 'ada@example.com', atSeconds }
  return (await createUserWith(table, ['admin'], profile)).token
}
