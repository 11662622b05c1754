// Runs the functions that edit posts in threads, on a table that locks each item while it is written.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { clientSettings, REGION } from '../../infra/local/account.ts'
import { QUEUES } from '../../shared/events/message.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { createUserWith } from '../support/create.ts'
import { newTable } from '../support/new-table.ts'
import { type EventOptions, proxyEventOf } from '../support/proxy-event.ts'
import { startSqs } from '../support/sqs.ts'
import type { Answer, EditRequest } from './editors-thread.ts'

/** With 64 edits, one thread is slower than the locks. */
const THREADS = process.env.SOAK ? 2 : 1

export async function startEditors() {
  const { table, tableName, endpoint, stop: stopTable } = await newTable()
  const sqs = await startSqs()
  await createQueues(sqs.endpoint)
  const locks = new Worker(new URL('./item-locks-thread.ts', import.meta.url), {
    workerData: endpoint,
  })
  const [lockingEndpoint] = await once(locks, 'message')
  let conflicts = 0
  locks.on('message', () => conflicts++)

  const env = {
    ...settings,
    TABLE_NAME: tableName,
    AWS_ENDPOINT_URL_DYNAMODB: lockingEndpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
  }
  for (const [name, { urlVariable }] of Object.entries(QUEUES)) {
    Object.assign(env, { [urlVariable]: sqs.queueUrl(name) })
  }
  const threads = Array.from(
    { length: THREADS },
    () => new Worker(new URL('./editors-thread.ts', import.meta.url), { env }),
  )
  const pending = new Map<number, (answer: Answer) => void>()
  await Promise.all(threads.map(thread => once(thread, 'message')))
  for (const thread of threads) thread.on('message', (answer: Answer) => pending.get(answer.n)?.(answer))

  let requests = 0
  const call = (endpoint: Endpoint, options: EventOptions): Promise<Answer> => {
    const n = requests++
    const { promise, resolve } = Promise.withResolvers<Answer>()
    pending.set(n, resolve)
    const event = proxyEventOf(endpoint, options)
    threads[n % THREADS]?.postMessage({ n, event } satisfies EditRequest)
    return promise
  }
  const stop = async () => {
    await Promise.all([locks, ...threads].map(thread => thread.terminate()))
    await Promise.all([stopTable(), sqs.stop()])
  }
  const { token } = await createUserWith(table, ['admin'])
  return { table, call, token, conflicts: () => conflicts, stop }
}

export type Editors = Awaited<ReturnType<typeof startEditors>>

const settings = {
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: 'Function',
  AWS_SECRET_ACCESS_KEY: 'x',
  SITE_URL: 'https://site.example',
  CLIENT_KEY: 'the key of client addresses',
  PRIVATE_KEY: 'the key of links in mails',
  LIMIT_SCALE: '1000000',
}

async function createQueues(endpoint: string) {
  const client = new SQSClient(clientSettings(endpoint))
  const queues = Object.keys(QUEUES).map(QueueName => client.send(new CreateQueueCommand({ QueueName })))
  await Promise.all(queues)
  client.destroy()
}
