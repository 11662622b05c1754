// The outermost step, and the only one that catches: whatever happens becomes an answer and one log line.
import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { ApiError } from '../http/errors.ts'
import { type Exchange, exchangeOf, headerOf, openExchange } from './exchange.ts'
import { respond, respondFailure, respondReplay } from './respond.ts'
import type { Runtime } from './runtime.ts'

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

type Request = {
  event: APIGatewayProxyEvent
  response: APIGatewayProxyResult | null | undefined
  error: unknown
}

export const report = (runtime: () => Runtime) => {
  const reportBefore = ({ event }: { event: APIGatewayProxyEvent }): void => {
    const world = runtime()
    const exchange: Exchange = { runtime: world, event, requestId: '', nowMs: world.clock(), beside: [] }
    const given = headerOf(exchange, 'x-request-id')
    exchange.requestId = given && REQUEST_ID.test(given) ? given : randomUUID()
    openExchange(event, exchange)
  }

  const reportAfter = async (request: Request): Promise<void> => {
    const exchange = exchangeOf(request.event)
    await finishBeside(exchange)
    exchange.settledVerdict = await exchange.verdict
    request.response = exchange.replay
      ? respondReplay(exchange)
      : respond(exchange, exchange.reply ?? { data: {} })
    logLine(exchange, request.response.statusCode)
  }

  const reportOnError = async (request: Request): Promise<void> => {
    const exchange = exchangeOf(request.event)
    await finishBeside(exchange)
    const known = request.error instanceof ApiError ? request.error : undefined
    if (!known)
      exchange.runtime.log('error', 'unexpected failure', {
        ...ids(exchange),
        error: described(request.error),
      })
    const error = known ?? new ApiError('INTERNAL_ERROR', 'Something went wrong on our side.')
    request.response = await respondFailure(exchange, error)
    logLine(exchange, request.response.statusCode)
  }
  return { before: reportBefore, after: reportAfter, onError: reportOnError }
}

const finishBeside = async (exchange: Exchange): Promise<void> => {
  for (const { status, ...outcome } of await Promise.allSettled(exchange.beside))
    if (status === 'rejected')
      exchange.runtime.log('warn', 'a side task failed', { ...ids(exchange), ...outcome })
}

const ids = ({ requestId, event }: Exchange) => ({
  request_id: requestId,
  method: event.httpMethod,
  resource: event.resource,
})

const logLine = (exchange: Exchange, status: number): void => {
  const { runtime, nowMs } = exchange
  runtime.log('info', 'request', { ...ids(exchange), status, duration_ms: runtime.clock() - nowMs })
}

const described = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
