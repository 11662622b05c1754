// The outermost step, and the only one that catches: whatever happens becomes an answer and one log line.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { ApiError } from '../http/errors.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { isBusy } from '../table/retrying.ts'
import { contextOf, openContext, type RequestContext } from './request-context.ts'
import { gatewayIdOf, requestIdOf } from './request-id.ts'
import { respond, respondFailure, respondReplay } from './respond.ts'

type Request = {
  event: APIGatewayProxyEvent
  response: APIGatewayProxyResult | null | undefined
  error: unknown
}

export function report(runtime: () => Runtime) {
  const reportBefore = ({ event }: { event: APIGatewayProxyEvent }): void => {
    const world = runtime()
    const gatewayId = gatewayIdOf(event)
    const requestId = requestIdOf(event, gatewayId)
    openContext(event, { runtime: world, event, requestId, gatewayId, nowMs: world.clock(), beside: [] })
  }

  const reportAfter = async (request: Request): Promise<void> => {
    const exchange = contextOf(request.event)
    await finishBeside(exchange)
    exchange.settledLimitResult = await exchange.limitResult
    request.response = exchange.replay
      ? respondReplay(exchange)
      : respond(exchange, exchange.reply ?? { data: {} })
    logLine(exchange, request.response.statusCode)
  }

  const reportOnError = async (request: Request): Promise<void> => {
    const exchange = contextOf(request.event)
    await finishBeside(exchange)
    request.response = await respondFailure(exchange, failureOf(exchange, request.error))
    logLine(exchange, request.response.statusCode)
  }
  return { before: reportBefore, after: reportAfter, onError: reportOnError }
}

/** What the caller is told: of a busy table that it passes, of everything else that nobody foresaw no more than that. */
function failureOf(exchange: RequestContext, error: unknown): ApiError {
  if (error instanceof ApiError) return error
  exchange.runtime.log('error', 'unexpected failure', { ...ids(exchange), error: described(error) })
  return isBusy(error)
    ? new ApiError('UNAVAILABLE', 'The service is busy, try again.', { retryAfterSeconds: 1 })
    : new ApiError('INTERNAL_ERROR', 'Something went wrong on our side.')
}

async function finishBeside(exchange: RequestContext): Promise<void> {
  for (const outcome of await Promise.allSettled(exchange.beside)) {
    if (outcome.status === 'rejected') {
      exchange.runtime.log('warn', 'a side task failed', {
        ...ids(exchange),
        error: described(outcome.reason),
      })
    }
  }
}

/** The resource of requests that no endpoint answers: what was asked says more. */
const ANY_PATH = '/{proxy+}'
const LONGEST_PATH = 200

function ids({ requestId, gatewayId, event }: RequestContext) {
  return {
    request_id: requestId,
    ...(gatewayId !== requestId && { gateway_request_id: gatewayId }),
    method: event.httpMethod,
    resource: event.resource === ANY_PATH ? event.path.slice(0, LONGEST_PATH) : event.resource,
  }
}

function logLine(exchange: RequestContext, status: number): void {
  const { runtime, nowMs } = exchange
  runtime.log('info', 'request', { ...ids(exchange), status, duration_ms: runtime.clock() - nowMs })
}

function described(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
