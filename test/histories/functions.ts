// Calls the real functions in this process, with the runtime of the current test.
import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import * as z from 'zod/mini'
import { handler as adminCategoriesHandler } from '../../functions/admin-categories.ts'
import { handler as adminPostsHandler } from '../../functions/admin-posts.ts'
import { handler as adminSiteHandler } from '../../functions/admin-site.ts'
import { handler as adminWebhooksHandler } from '../../functions/admin-webhooks.ts'
import { handler as categoriesHandler } from '../../functions/categories.ts'
import { handler as changesHandler } from '../../functions/changes.ts'
import { handler as fanOut } from '../../functions/fan-out.ts'
import { handler as indexSearch } from '../../functions/index-search.ts'
import { handler as postsHandler } from '../../functions/posts.ts'
import { handler as searchHandler } from '../../functions/search.ts'
import { handler as siteHandler } from '../../functions/site.ts'
import { handler as sweep } from '../../functions/sweep.ts'
import { handler as tidy } from '../../functions/tidy.ts'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { changes } from '../../shared/changes/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { consume } from '../../shared/lambda/consume.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { search } from '../../shared/search/contract.ts'
import { adminSite, site } from '../../shared/site/contract.ts'
import { deliver } from '../../shared/webhooks/commands/deliver.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'

export { fanOut, indexSearch, sweep, tidy }
/** One batch at a time. The function itself also polls for more messages while a subscriber hangs. */
export const deliverAll = consume('deliveries', deliver)

const HANDLERS = [
  { group: changes, handler: changesHandler },
  { group: site, handler: siteHandler },
  { group: adminSite, handler: adminSiteHandler },
  { group: posts, handler: postsHandler },
  { group: search, handler: searchHandler },
  { group: categories, handler: categoriesHandler },
  { group: adminPosts, handler: adminPostsHandler },
  { group: adminCategories, handler: adminCategoriesHandler },
  { group: adminWebhooks, handler: adminWebhooksHandler },
]
const Pagination = z.record(z.string(), z.int())
const Cursor = z.object({ next: z.nullable(z.string()), more: z._default(z.boolean(), false) })
const Answer = z.object({
  data: z.optional(z.unknown()),
  pagination: z.optional(Pagination),
  cursor: z.optional(Cursor),
  errors: z.optional(z.object({ code: z.string() })),
})
export type CallInput = {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean>
  body?: Record<string, unknown>
}

export type CallResult<Data extends z.ZodMiniType> = {
  status: number
  pagination: z.output<typeof Pagination> | undefined
  cursor?: z.output<typeof Cursor> | undefined
  /** Throws if the answer is an error. */
  read: () => z.output<Data>
}

/** Sends one request to the function of the endpoint. */
export async function callFunction<Data extends z.ZodMiniType>(
  endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
  input: CallInput,
  token: string,
): Promise<CallResult<Data>> {
  const found = HANDLERS.find(({ group }) => Object.values<unknown>(group).includes(endpoint))
  if (!found) throw new Error(`No function serves ${endpoint.method} ${endpoint.path}.`)
  const { statusCode, body } = await found.handler(eventOf(endpoint, input, token), {} as Context)
  const { data, pagination, cursor, errors } = Answer.parse(JSON.parse(body))
  const read = () => {
    if (errors) throw new Error(`${endpoint.method} ${endpoint.path} answered ${statusCode} ${body}`)
    return endpoint.data.parse(data)
  }
  return { status: statusCode, pagination, cursor, read }
}

/** A proxy event with what the functions read. */
function eventOf(endpoint: Endpoint, { params = {}, query = {}, body }: CallInput, token: string) {
  const entries = Object.entries(query).map(([name, value]) => [name, [String(value)]])
  const encoded = Object.entries(params).map(([name, value]) => [name, encodeURIComponent(value)])
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
    pathParameters: Object.fromEntries(encoded),
    multiValueQueryStringParameters: Object.fromEntries(entries),
    body: body ? JSON.stringify(body) : null,
  }
  return { ...event, requestContext: { identity: { sourceIp: '203.0.113.7' } } } as APIGatewayProxyEvent
}
