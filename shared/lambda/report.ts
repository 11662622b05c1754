// The outermost step, and the only one that catches: every outcome becomes a response and one log line.
import { ApiError } from '../http/errors.ts'
import { beginningOf } from '../http/text.ts'
import { takeTally } from '../metrics/tally.ts'
import { described } from '../runtime/log.ts'
import { runtime } from '../runtime/runtime.ts'
import { isBusy } from '../table/retrying.ts'
import { type CompleteContext, openRequest, type Request, type RequestContext } from './handler.ts'
import { respond, respondFailure } from './respond.ts'

export function report(isOperation: boolean) {
  const before = ({ internal, ...invocation }: Request<RequestContext>): void => {
    Object.assign(internal, openRequest(runtime(), invocation, isOperation))
  }

  const after = async (request: Request<CompleteContext>): Promise<void> => {
    const { internal: context } = request
    await finishSideTasks(context)
    request.response = respond(context)
    logRequest(context, request.response.statusCode)
  }

  const onError = async (request: Request<RequestContext>): Promise<void> => {
    const { internal: context } = request
    await finishSideTasks(context)
    request.response = respondFailure(context, failureOf(context, request.error))
    logRequest(context, request.response.statusCode)
  }
  return { before, after, onError }
}

/** Callers learn of an unexpected error only whether it makes sense to try again. */
function failureOf(context: RequestContext, error: unknown): ApiError {
  if (error instanceof ApiError) return error
  context.runtime.log('error', 'unexpected failure', { ...idsOf(context), error: described(error) })
  return isBusy(error)
    ? new ApiError('UNAVAILABLE', 'The service is busy, try again.', { retryAfterSeconds: 1 })
    : new ApiError('INTERNAL_ERROR', 'Something went wrong on our side.')
}

async function finishSideTasks(context: RequestContext): Promise<void> {
  for (const outcome of await Promise.allSettled(context.sideTasks)) {
    if (outcome.status === 'rejected') {
      const error = described(outcome.reason)
      context.runtime.log('warn', 'a side task failed', { ...idsOf(context), error })
    }
  }
}

/** The resource of requests that no endpoint answers: their path says more. */
const ANY_PATH = '/{proxy+}'
const LONGEST_PATH = 200

function idsOf({ requestId, gatewayId, event }: RequestContext) {
  return {
    request_id: requestId,
    ...(gatewayId !== requestId && { gateway_request_id: gatewayId }),
    method: event.httpMethod,
    resource: event.resource === ANY_PATH ? beginningOf(event.path, LONGEST_PATH) : event.resource,
  }
}

function logRequest(context: RequestContext, status: number): void {
  const { runtime, nowMs } = context
  const duration_ms = runtime.clock() - nowMs
  runtime.log('info', 'request', { ...idsOf(context), status, duration_ms }, takeTally())
}
