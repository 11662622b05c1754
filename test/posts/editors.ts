// The functions that edit posts, in threads of their own, on a table whose items are locked while they are written.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { clientSettings, REGION } from '../../infra/local/account.ts'
import { parseEndpoint } from '../../infra/local/door/endpoint.ts'
import { startSqs } from '../../infra/local/queues/fauxqs.ts'
import { newToken } from '../../shared/accounts/commands/tokens.ts'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { QUEUES } from '../../shared/events/message.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { newTable } from '../world/new-table.ts'
import { type EventOptions, proxyEventOf } from '../world/proxy-event.ts'
import type { Answer, Ask } from './editors-thread.ts'

/** One thread alone is slower than the locks when there are 64. */
const THREADS = process.env.SOAK ? 2 : 1

export async function startEditors() {
  const { table, tableName, endpoint, stop: stopTable } = await newTable()
  const { key } = parseEndpoint(endpoint)
  const sqs = await startSqs(undefined, key)
  await createQueues(sqs.endpoint)
  const locks = new Worker(new URL('../world/item-locks-thread.ts', import.meta.url), {
    workerData: endpoint,
  })
  const [locked] = await once(locks, 'message')
  let conflicts = 0
  locks.on('message', () => conflicts++)

  const env = {
    ...settings,
    TABLE_NAME: tableName,
    AWS_ENDPOINT_URL_DYNAMODB: parseEndpoint(locked).url,
    AWS_ENDPOINT_URL_SQS: parseEndpoint(sqs.endpoint).url,
    AWS_SESSION_TOKEN: `${key}a worker`,
  }
  for (const [name, { urlVariable }] of Object.entries(QUEUES)) {
    Object.assign(env, { [urlVariable]: sqs.queueUrl(name) })
  }
  const threads = Array.from(
    { length: THREADS },
    () => new Worker(new URL('./editors-thread.ts', import.meta.url), { env }),
  )
  const waiting = new Map<number, (answer: Answer) => void>()
  await Promise.all(threads.map(thread => once(thread, 'message')))
  for (const thread of threads) thread.on('message', (answer: Answer) => waiting.get(answer.n)?.(answer))

  let asked = 0
  const ask = (of: Ask['of'], endpoint: Endpoint, ask: EventOptions): Promise<Answer> => {
    const n = asked++
    const { promise, resolve } = Promise.withResolvers<Answer>()
    waiting.set(n, resolve)
    threads[n % THREADS]?.postMessage({ n, of, event: proxyEventOf(endpoint, ask) } satisfies Ask)
    return promise
  }
  const stop = async () => {
    await Promise.all([locks, ...threads].map(thread => thread.terminate()))
    await Promise.all([stopTable(), sqs.stop()])
  }
  return { table, ask, token: await adminToken(table), conflicts: () => conflicts, stop }
}

export type Editors = Awaited<ReturnType<typeof startEditors>>

const settings = {
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: 'Function',
  AWS_SECRET_ACCESS_KEY: 'x',
  SITE_URL: 'https://site.example',
  CLIENT_KEY: 'the key of client addresses',
  LINK_KEY: 'the key of links in mails',
  LIMIT_SCALE: '1000000',
}

async function createQueues(endpoint: string) {
  const client = new SQSClient(clientSettings(endpoint))
  const queues = Object.keys(QUEUES).map(QueueName => client.send(new CreateQueueCommand({ QueueName })))
  await Promise.all(queues)
  client.destroy()
}

async function adminToken(table: Awaited<ReturnType<typeof newTable>>['table']): Promise<string> {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const wanted = { name: 'Editor', email: 'editor@example.com', email_verified: true, password_hash: null }
  const { id } = await createUser(table, wanted, nowSeconds)
  const { action, text } = await newToken(
    table,
    { user_id: id, name: 'test', abilities: ['admin'] },
    nowSeconds,
  )
  await table.transact([action])
  return text
}
