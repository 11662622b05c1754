// Runs a batch: each operation is an event of its own, answered by the chain of the endpoint that it names.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { type Fields, invalid } from '../http/errors.ts'
import { compactJson } from '../http/text.ts'
import { type EndpointHandler, handlersOf, headerOf } from '../lambda/handler.ts'
import { LARGEST_RESPONSE_BYTES } from '../lambda/respond.ts'
import { serve } from '../lambda/serve.ts'
import { withOwnDeadline } from '../table/retrying.ts'
import { fitting, isOperation, isUnfinished, keyOf, NO_OPERATION, NOT_STARTED, targetOf } from './batch.ts'
import { adminBatch, LAST_START_SECONDS, type Operation, type Result } from './contract.ts'

/** The function has 28 s, and the last operation may begin at 20. */
const DEADLINE_MS = 26_000

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
      return { data: fitting(results, LARGEST_RESPONSE_BYTES), headers: { 'X-Batch-Id': requestId } }
    },
  })
}

/** Throws VALIDATION_ERROR if an operation is none that a batch can have: then none is done. */
function eventsOf(
  operations: Operation[],
  writes: EndpointHandler[],
  outer: APIGatewayProxyEvent,
  requestId: string,
): APIGatewayProxyEvent[] {
  const endpoints = writes.map(({ endpoint }) => endpoint)
  const faults: Fields = {}
  const events = operations.flatMap((operation, n) => {
    const target = targetOf(operation, endpoints)
    const body = operation.body === undefined ? null : compactJson(operation.body)
    if (!target) faults[`operations.${n}.path`] = [NO_OPERATION]
    if (body === undefined) faults[`operations.${n}.body`] = ['Must not be nested so deep.']
    return target && body !== undefined
      ? { ...outer, ...target, ...headersAndId(operation, n, outer, requestId), body }
      : []
  })
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return events
}

/** Headers and id of an operation. The id is no header, since it may be longer than a client's. */
function headersAndId(
  { if_match }: Operation,
  n: number,
  outer: APIGatewayProxyEvent,
  requestId: string,
): Partial<APIGatewayProxyEvent> {
  const key = headerOf({ event: outer }, 'idempotency-key')
  const listOf = (value: string | undefined) => (value === undefined ? undefined : [value])
  return {
    multiValueHeaders: {
      Authorization: listOf(headerOf({ event: outer }, 'authorization')),
      'If-Match': listOf(if_match),
      'Idempotency-Key': listOf(key && keyOf(key, n)),
    },
    requestContext: { ...outer.requestContext, requestId: `${requestId}.${n}` },
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
