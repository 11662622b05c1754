// Runs a batch: each operation is an event of its own, answered by the chain of the endpoint that it names.
import { createHash } from 'node:crypto'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { type Fields, invalid } from '../http/errors.ts'
import { failure } from '../http/reply.ts'
import { type Answering, handlersOf, headerOf } from '../lambda/handler.ts'
import { LARGEST_RESPONSE_BYTES, serializedBytes } from '../lambda/respond.ts'
import { serve } from '../lambda/serve.ts'
import { startDeadline, withOwnDeadline } from '../table/retrying.ts'
import { adminBatch, LAST_START_SECONDS, type Operation, type Result } from './contract.ts'

/** The function has 28 s, and the last operation may begin at 20. */
const DEADLINE_MS = 26_000

/** @param served the endpoints of which the versioned ones can be operations. */
export function batchHandlersOf(served: Answering[]) {
  const writes = served.filter(({ endpoint }) => endpoint.isVersioned && endpoint.method !== 'GET')
  const answer = serve(writes, undefined, { isOperation: true })
  return handlersOf(adminBatch, {
    runBatch: async ({ body, invocation, requestId }) => {
      const events = eventsOf(body.operations, writes, invocation.event, requestId)
      const results = await withOwnDeadline(async () => {
        const hasTime = startDeadline(LAST_START_SECONDS * 1000)
        const done: Result[] = []
        for (const event of events) {
          done.push(hasTime() ? resultOf(await answer(event, invocation.context)) : TOO_LATE)
        }
        return done
      }, DEADLINE_MS)
      return { data: fitting(results), headers: { 'X-Batch-Id': requestId } }
    },
  })
}

/** Throws VALIDATION_ERROR if an operation is none that a batch can have: then none is done. */
function eventsOf(
  operations: Operation[],
  writes: Answering[],
  outer: APIGatewayProxyEvent,
  requestId: string,
): APIGatewayProxyEvent[] {
  const faults: Fields = {}
  const events = operations.flatMap((operation, n) => {
    const target = targetOf(operation, writes)
    if (!target) faults[`operations.${n}.path`] = [NO_OPERATION]
    return target ? { ...outer, ...target, ...partsOf(operation, n, outer, requestId) } : []
  })
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return events
}

const NO_OPERATION =
  'Must be a path that, with this method, writes a post, a page or a category: /api/v1/admin/posts/1/publish.'

/** The endpoint of an operation, as API Gateway would name it. */
function targetOf({ method, path }: Operation, writes: Answering[]) {
  const whole = path.startsWith('/api/v1/') ? path : `/api/v1${path}`
  for (const { endpoint } of writes) {
    const pattern = new RegExp(`^${endpoint.path.replace(/\{(\w+)\}/g, '(?<$1>[^/?#]+)')}$`)
    const found = endpoint.method === method ? pattern.exec(whole) : null
    if (found) {
      return { httpMethod: method, resource: endpoint.path, path: whole, pathParameters: { ...found.groups } }
    }
  }
  return undefined
}

/** What of the event is the operation's own. Its id is no header, since it may be longer than a client's. */
function partsOf(
  { body, if_match }: Operation,
  n: number,
  outer: APIGatewayProxyEvent,
  requestId: string,
): Partial<APIGatewayProxyEvent> {
  const key = headerOf({ event: outer }, 'idempotency-key')
  const headers = {
    Authorization: headerOf({ event: outer }, 'authorization'),
    'If-Match': if_match,
    'Idempotency-Key': key && `${createHash('sha256').update(key).digest('base64url')}.${n}`,
  }
  return {
    multiValueHeaders: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value]]])),
    ),
    requestContext: { ...outer.requestContext, requestId: `${requestId}.${n}` },
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
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

const TOO_LATE: Result = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: failure('UNAVAILABLE', 'The batch took too long to start this operation. Send the batch again.'),
}

/** What the results may take without the bodies of posts. */
const BYTES_WITHOUT_BODIES = 600_000

/** The writes are done, so an answer that is too large leaves out the bodies of posts. */
function fitting(results: Result[]): Result[] {
  let bytes = BYTES_WITHOUT_BODIES
  return results.map(result => {
    const ownBytes = serializedBytes(JSON.stringify(result))
    if (bytes + ownBytes > LARGEST_RESPONSE_BYTES) return withoutBody(result)
    bytes += ownBytes
    return result
  })
}

function withoutBody(result: Result): Result {
  const { body: _, ...data } = Object(result.body.data)
  return { ...result, body: { ...result.body, data } }
}
