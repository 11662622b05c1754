// The chain of middlewares, typed: each step states what it needs from the steps before it and what it adds.
import middy from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import type { CompleteContext, PartialContext, RequestContext } from './handler.ts'

/** Middy keeps `internal` for the duration of one request: it is the request's context. */
export type Request<Internal extends Record<string, unknown>> = middy.Request<
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  unknown,
  Context,
  Internal
>

/** The first step: opens the context, and turns every outcome into a response. */
type OutermostStep = {
  before: (request: Request<Record<string, unknown>>) => void
  after: (request: Request<CompleteContext>) => Promise<void>
  onError: (request: Request<RequestContext>) => Promise<void>
}

export type Step<Needs, Adds extends object> = {
  before: (context: Needs) => Adds | Promise<Adds>
  /** Runs after the handler, last step first. */
  after?: (context: CompleteContext) => Promise<void>
  /** Runs after a failure, last step first. May return an error to answer with instead. */
  onError?: (context: PartialContext, error: unknown) => Promise<unknown>
}

/** A handler that Lambda cut off early would continue with the next event, and might commit after its 504. */
const ENDED_BY_LAMBDA = { timeoutEarlyInMillis: 0 }

export type Chain<Done> = {
  /** Adds a step. It does not compile if the step needs what no earlier step adds. */
  step: <Adds extends object>(step: Step<Done, Adds>) => Chain<Done & Adds>
  handler: middy.MiddyfiedHandler<APIGatewayProxyEvent, APIGatewayProxyResult>
}

export function startChain(outermost: OutermostStep): Chain<RequestContext> {
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>(ENDED_BY_LAMBDA)
  handler.use(outermost)
  return chainOn(handler)
}

function chainOn<Done>(handler: Chain<Done>['handler']): Chain<Done> {
  return {
    handler,
    step: step => {
      handler.use(middlewareOf(step))
      return chainOn(handler)
    },
  }
}

function middlewareOf<Needs, Adds extends object>({ before, after, onError }: Step<Needs, Adds>) {
  return {
    before: async ({ internal }: { internal: object }) => {
      // `step` compiles only if earlier steps have added what this one needs.
      Object.assign(internal, await before(internal as Needs))
    },
    ...(after && { after: ({ internal }: Request<CompleteContext>) => after(internal) }),
    ...(onError && {
      onError: async (request: Request<PartialContext>) => {
        request.error = (await onError(request.internal, request.error)) ?? request.error
      },
    }),
  }
}
