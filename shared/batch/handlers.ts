// Runs a batch: each operation is an event of its own, answered by the chain of the endpoint that it names.
import { createHash } from 'node:crypto'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import type { Endpoint } from '../http/endpoint.ts'
import { type Fields, invalid } from '../http/errors.ts'
import { failure } from '../http/reply.ts'
import { compactJson } from '../http/text.ts'
import { type EndpointHandler, handlersOf, headerOf } from '../lambda/handler.ts'
import { LARGEST_RESPONSE_BYTES } from '../lambda/respond.ts'
import { serve } from '../lambda/serve.ts'
import { withOwnDeadline } from '../table/retrying.ts'
import { adminBatch, LAST_START_SECONDS, type Operation, type Result } from './contract.ts'

/** The function has 28 s, and the last operation may begin at 20. */
const DEADLINE_MS = 26_000

/** The time is over, or an earlier request with the same key may still be doing the operation before. */
const NOT_STARTED: Result = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: failure('UNAVAILABLE', 'This operation was not started. Send the batch again.'),
}

/** The endpoints that can be operations: all writes of a record with a version. */
export function isOperation({ isVersioned, method }: Endpoint): boolean {
  return isVersioned && method !== 'GET'
}

/** @param served the endpoints whose writes can be operations. */
export function batchHandlersOf(served: EndpointHandler[]) {
  const writes = served.filter(({ endpoint }) => isOperation(endpoint))
  const answer = serve(writes, { isOperation: true })
  return handlersOf(adminBatch, {
    runBatch: async ({ body, invocation, requestId, nowMs, work }) => {
      const events = eventsOf(body.operations, writes, invocation.event, requestId)
      // Since the request came in: a slow table has cost time already.
      const pastMs = () => work.clock() - nowMs
      const results = await withOwnDeadline(async () => {
        const done: Result[] = []
        for (const event of events) {
          const mayStart = pastMs() < LAST_START_SECONDS * 1000 && !isUnfinished(done.at(-1))
          done.push(mayStart ? resultOf(await answer(event, invocation.context)) : NOT_STARTED)
        }
        return done
      }, DEADLINE_MS - pastMs())
      return { data: fitting(results), headers: { 'X-Batch-Id': requestId } }
    },
  })
}

/** Operations are done in order, so none starts after one that has not ended. */
function isUnfinished(result: Result | undefined): boolean {
  return result === NOT_STARTED || (result?.status === 409 && result.headers?.['retry-after'] !== undefined)
}

const NO_OPERATION =
  'Must be a path that, with this method, writes a post, a page or a category: /api/v1/admin/posts/1/publish.'

/** Throws VALIDATION_ERROR if an operation is none that a batch can have: then none is done. */
function eventsOf(
  operations: Operation[],
  writes: EndpointHandler[],
  outer: APIGatewayProxyEvent,
  requestId: string,
): APIGatewayProxyEvent[] {
  const faults: Fields = {}
  const events = operations.flatMap((operation, n) => {
    const target = targetOf(operation, writes)
    const body = operation.body === undefined ? null : compactJson(operation.body)
    if (!target) faults[`operations.${n}.path`] = [NO_OPERATION]
    if (body === undefined) faults[`operations.${n}.body`] = ['Must not be nested so deep.']
    if (!target || body === undefined) return []
    const multiValueHeaders = headersOf(operation, n, outer)
    // The id is no header, since it may be longer than a client's.
    const requestContext = { ...outer.requestContext, requestId: `${requestId}.${n}` }
    return { ...outer, ...target, multiValueHeaders, requestContext, body, isBase64Encoded: false }
  })
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return events
}

/** The endpoint of an operation with its parameters, as API Gateway names them. It ignores a last slash. */
function targetOf({ method, path: given }: Operation, writes: EndpointHandler[]) {
  const path = given.startsWith('/api/v1/') ? given : `/api/v1${given}`
  for (const { endpoint } of writes) {
    const { path: resource } = endpoint
    const pattern = new RegExp(`^${resource.replace(/\{(\w+)\}/g, '(?<$1>[^/?#]+)')}/?$`)
    const found = endpoint.method === method ? pattern.exec(path) : null
    if (found) return { httpMethod: method, resource, path, pathParameters: { ...found.groups } }
  }
  return undefined
}

/** The idempotency key of an operation is that of the batch with its position. */
function headersOf({ if_match }: Operation, n: number, event: APIGatewayProxyEvent) {
  const key = headerOf({ event }, 'idempotency-key')
  const keyHash = key && createHash('sha256').update(key).digest('base64url')
  const listOf = (value: string | undefined) => (value === undefined ? undefined : [value])
  return {
    Authorization: listOf(headerOf({ event }, 'authorization')),
    'If-Match': listOf(if_match),
    'Idempotency-Key': listOf(keyHash && `${keyHash}.${n}`),
  }
}

const SHOWN_HEADERS = ['ETag', 'Retry-After', 'Idempotent-Replayed']

function resultOf({ statusCode: status, headers = {}, body }: APIGatewayProxyResult): Result {
  const shown = SHOWN_HEADERS.flatMap(name =>
    headers[name] === undefined ? [] : [[name.toLowerCase(), String(headers[name])]],
  )
  return {
    status,
    ...(shown.length > 0 && { headers: Object.fromEntries(shown) }),
    body: JSON.parse(body),
  }
}

/** For what the answer has besides its results. */
const BYTES_OF_FRAME = 10_000

/** The writes are done, so answers that are too large together leave out the bodies of posts. */
function fitting(results: Result[]): Result[] {
  // The answer is a text in the response of the function, in which each quote is escaped again.
  const bytes = Buffer.byteLength(JSON.stringify(JSON.stringify(results)))
  return bytes + BYTES_OF_FRAME > LARGEST_RESPONSE_BYTES ? results.map(withoutBody) : results
}

/** The result itself if it shows no post. */
function withoutBody(result: Result): Result {
  const { body, ...data } = Object(result.body.data)
  return body === undefined ? result : { ...result, body: { ...result.body, data } }
}
