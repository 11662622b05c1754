// The service in this process: its real functions on a real table, a clock that stands, queues that remember.
import { SQSClient } from '@aws-sdk/client-sqs'
import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { vi } from 'vitest'
import { z } from 'zod'
import { handler as adminCategoriesHandler } from '../../functions/admin-categories.ts'
import { handler as adminPostsHandler } from '../../functions/admin-posts.ts'
import { handler as categoriesHandler } from '../../functions/categories.ts'
import { handler as fanOut } from '../../functions/fan-out.ts'
import { handler as indexSearch } from '../../functions/index-search.ts'
import { handler as postsHandler } from '../../functions/posts.ts'
import { handler as searchHandler } from '../../functions/search.ts'
import { handler as sweep } from '../../functions/sweep.ts'
import { handler as tidy } from '../../functions/tidy.ts'
import { clientOf } from '../../infra/local/account.ts'
import { newToken } from '../../shared/accounts/tokens.ts'
import { createUser } from '../../shared/accounts/users.ts'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import type { IndexMessage } from '../../shared/events/message.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { readEnvironment } from '../../shared/lambda/environment.ts'
import type { Runtime } from '../../shared/lambda/runtime.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { search } from '../../shared/search/contract.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import type { Sizes } from '../../shared/table/counted-list.ts'
import { batchOf } from '../world/queue.ts'
import { startTable } from '../world/table.ts'
import { rememberingQueues } from './history-queues.ts'

const INDEX_BATCH = 10

/** The world that all functions of this file are in. */
let current: Runtime | undefined
vi.mock('../../shared/lambda/runtime.ts', async original => ({
  ...(await original<Record<string, unknown>>()),
  runtime: () => current,
}))

const HANDLERS = [
  { group: posts, handler: postsHandler },
  { group: search, handler: searchHandler },
  { group: categories, handler: categoriesHandler },
  { group: adminPosts, handler: adminPostsHandler },
  { group: adminCategories, handler: adminCategoriesHandler },
]
const Pagination = z.record(z.string(), z.int())
const Answer = z.object({
  data: z.unknown().optional(),
  pagination: Pagination.optional(),
  errors: z.object({ code: z.string() }).optional(),
})
export type Ask = {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean>
  body?: Record<string, unknown>
}

const environment = readEnvironment({
  TABLE_NAME: 'test',
  SITE_URL: 'https://site.example',
  LIMIT_SCALE: '1000000',
  CLIENT_KEY: 'the key of client addresses',
})

export const openHistoryWorld = async (startMs: number, sizes: Sizes) => {
  const { client, tableName, dump, stop } = await startTable()
  const table = openTable(client, tableName, sizes)
  const token = await adminToken(table, Math.floor(startMs / 1000))
  const sqs = new SQSClient(clientOf('http://127.0.0.1:1'))
  const queues = rememberingQueues()
  let nowMs = startMs
  current = { environment, table, sqs, sender: queues.sender, clock: () => nowMs, log: () => undefined }

  const call = async <Data extends z.ZodType>(
    endpoint: Endpoint<z.ZodType, z.ZodType, z.ZodType, Data>,
    ask: Ask = {},
  ) => {
    const served = HANDLERS.find(({ group }) => Object.values<unknown>(group).includes(endpoint))
    if (!served) throw new Error(`No function serves ${endpoint.method} ${endpoint.path}.`)
    const { statusCode, body } = await served.handler(eventOf(endpoint, ask, token), {} as Context)
    const { data, pagination, errors } = Answer.parse(JSON.parse(body))
    const read = () => {
      if (errors) throw new Error(`${endpoint.method} ${endpoint.path} answered ${statusCode} ${body}`)
      return endpoint.data.parse(data)
    }
    return { status: statusCode, pagination, read }
  }

  /** What the queues and the minute do until now; every message is handed over twice. */
  const catchUp = async () => {
    await sweep()
    const due = queues.takeDue(Math.floor(nowMs / 1000))
    const outcomes = [await fanOut(batchOf(...due)), await fanOut(batchOf(...due))]
    for (let lists = queues.takeTidy(); lists.length > 0; lists = queues.takeTidy())
      outcomes.push(await tidy(batchOf(...lists)), await tidy(batchOf(...lists)))
    const failures = outcomes.flatMap(({ batchItemFailures }) => batchItemFailures)
    if (failures.length > 0) throw new Error(`${failures.length} messages failed.`)
  }

  /** The index follows, as far as its queue has told it; what it was told it is told again later. */
  const followIndex = async () => {
    let before: IndexMessage[] = []
    for (let next = queues.takeIndex(INDEX_BATCH); next.length > 0; next = queues.takeIndex(INDEX_BATCH)) {
      const { batchItemFailures } = await indexSearch(batchOf(...next, ...before))
      if (batchItemFailures.length > 0) throw new Error('The index could not follow.')
      before = next
    }
  }

  return {
    table,
    call,
    catchUp,
    followIndex,
    dump,
    takeEvents: queues.takeEvents,
    moveOn: (ms: number) => {
      nowMs += ms
    },
    stop: async () => {
      sqs.destroy()
      await stop()
    },
  }
}
export type HistoryWorld = Awaited<ReturnType<typeof openHistoryWorld>>

const adminToken = async (table: Table, now: number): Promise<string> => {
  const wanted = { name: 'Ada', email: 'ada@example.com', email_verified: true, password_hash: null }
  const { id } = await createUser(table, wanted, now)
  const { action, text } = await newToken(table, { user_id: id, name: 'test', abilities: ['admin'] }, now)
  await table.transact([action])
  return text
}

/** What the functions read of a proxy event. */
const eventOf = (endpoint: Endpoint, { params = {}, query = {}, body }: Ask, token: string) => {
  const entries = Object.entries(query).map(([name, value]) => [name, [String(value)]])
  const coded = Object.entries(params).map(([name, value]) => [name, encodeURIComponent(value)])
  const event: Pick<
    APIGatewayProxyEvent,
    | 'resource'
    | 'httpMethod'
    | 'headers'
    | 'multiValueHeaders'
    | 'pathParameters'
    | 'multiValueQueryStringParameters'
    | 'body'
  > = {
    resource: endpoint.path,
    httpMethod: endpoint.method,
    headers: { Authorization: `Bearer ${token}` },
    multiValueHeaders: { Authorization: [`Bearer ${token}`] },
    pathParameters: Object.fromEntries(coded),
    multiValueQueryStringParameters: Object.fromEntries(entries),
    body: body ? JSON.stringify(body) : null,
  }
  return { ...event, requestContext: { identity: { sourceIp: '203.0.113.7' } } } as APIGatewayProxyEvent
}
