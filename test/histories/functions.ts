// The functions of a history in this process: the real ones, in whichever world they are put.
import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { vi } from 'vitest'
import * as z from 'zod/mini'
import { handler as adminCategoriesHandler } from '../../functions/admin-categories.ts'
import { handler as adminPostsHandler } from '../../functions/admin-posts.ts'
import { handler as adminWebhooksHandler } from '../../functions/admin-webhooks.ts'
import { handler as categoriesHandler } from '../../functions/categories.ts'
import { handler as fanOut } from '../../functions/fan-out.ts'
import { handler as indexSearch } from '../../functions/index-search.ts'
import { handler as postsHandler } from '../../functions/posts.ts'
import { handler as searchHandler } from '../../functions/search.ts'
import { handler as sweep } from '../../functions/sweep.ts'
import { handler as tidy } from '../../functions/tidy.ts'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { consume } from '../../shared/lambda/consume.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import type { Runtime } from '../../shared/runtime/runtime.ts'
import { search } from '../../shared/search/contract.ts'
import { deliver } from '../../shared/webhooks/commands/deliver.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'

export { fanOut, indexSearch, sweep, tidy }
/** Without taking further messages by itself, as its function does while one hangs. */
export const deliverAll = consume('deliveries', deliver)

/** The world that all functions of this file are in. */
let entered: Runtime | undefined
export function enter(world: Runtime): void {
  entered = world
}

vi.mock('../../shared/runtime/runtime.ts', async original => ({
  ...(await original<Record<string, unknown>>()),
  runtime: () => entered,
}))

const HANDLERS = [
  { group: posts, handler: postsHandler },
  { group: search, handler: searchHandler },
  { group: categories, handler: categoriesHandler },
  { group: adminPosts, handler: adminPostsHandler },
  { group: adminCategories, handler: adminCategoriesHandler },
  { group: adminWebhooks, handler: adminWebhooksHandler },
]
const Pagination = z.record(z.string(), z.int())
const Answer = z.object({
  data: z.optional(z.unknown()),
  pagination: z.optional(Pagination),
  errors: z.optional(z.object({ code: z.string() })),
})
export type Ask = {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean>
  body?: Record<string, unknown>
}

export type Answered<Data extends z.ZodMiniType> = {
  status: number
  pagination: z.output<typeof Pagination> | undefined
  /** Throws for a failure. */
  read: () => z.output<Data>
}

/** One request through the function that serves the endpoint. */
export async function callFunction<Data extends z.ZodMiniType>(
  endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
  ask: Ask,
  token: string,
): Promise<Answered<Data>> {
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

/** What the functions read of a proxy event. */
function eventOf(endpoint: Endpoint, { params = {}, query = {}, body }: Ask, token: string) {
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
