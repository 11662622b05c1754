// A group of endpoints and its handlers become a Lambda: the chain of every request, written once.
import middy from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { startUnitOfWork } from '../events/unit-of-work.ts'
import type { Group } from '../http/endpoint.ts'
import { clientKey } from '../limits/client-key.ts'
import { required } from '../runtime/environment.ts'
import { type Runtime, runtime } from '../runtime/runtime.ts'
import { settingsFrom, siteUrlOf } from '../site/settings.ts'
import { withDeadline } from '../table/deadline.ts'
import { authenticate } from './authenticate.ts'
import { requireMatch } from './conditional.ts'
import { decode, type StageFaults } from './decode.ts'
import type { Call, Handlers } from './handler.ts'
import { idempotency } from './idempotency.ts'
import { limit } from './limit.ts'
import { maintenance } from './maintenance.ts'
import { match } from './match.ts'
import { report } from './report.ts'
import { contextOf, headerOf, type RequestContext } from './request-context.ts'

/** A handler cut off early would go on with the next event, and might commit what its caller was told had failed. */
const ENDED_BY_LAMBDA = { timeoutEarlyInMillis: 0 }

const NO_MORE_FAULTS: StageFaults = () => ({})

/** `stageFaults`: of the bodies of the whole group, told with all other faults of form. */
export function serve<G extends Group>(
  group: G,
  handlers: Handlers<G>,
  openRuntime: () => Runtime = runtime,
  stageFaults = NO_MORE_FAULTS,
) {
  const chain = middy<APIGatewayProxyEvent, APIGatewayProxyResult>(ENDED_BY_LAMBDA)
    .use(report(openRuntime))
    .use(match(group, handlers))
    .use(maintenance())
    .use(authenticate())
    .use(limit())
    .use(idempotency())
    .use(decode(stageFaults))
    .handler(async event => {
      const exchange = contextOf(event)
      if (exchange.route && !exchange.replay) exchange.reply = await exchange.route.handler(callOf(exchange))
      // `report` makes the response of the reply, once the limiter has spoken.
      return { statusCode: 200, body: '' }
    })
  return async (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
    // Before the chain, whose other steps would fail for want of it and hide why it could not be made.
    openRuntime()
    return await withDeadline(() => chain(event, context))
  }
}

function callOf(exchange: RequestContext): Call {
  const {
    runtime,
    nowMs,
    requestId,
    gatewayId,
    route,
    input,
    keep,
    caller,
    settings = settingsFrom({}),
  } = exchange
  const work = startUnitOfWork({
    table: runtime.table,
    sender: runtime.sender,
    nowMs,
    requestId,
    gatewayId,
    siteUrl: async () => siteUrlOf(settings, runtime.environment.SITE_URL),
    keep,
    onKept: () => {
      exchange.isKept = true
    },
    log: runtime.log,
    declared: {
      names: route?.endpoint.emits ?? [],
      isStrict: runtime.environment.REFUSE_UNDECLARED_EVENTS,
    },
  })
  return {
    params: route?.params,
    query: input?.query,
    body: input?.body,
    get actor() {
      if (!caller) throw new Error('This endpoint asks for no token, so nobody is known.')
      return caller.actor
    },
    get client() {
      const { sourceIp } = exchange.event.requestContext.identity
      return clientKey(sourceIp, required(runtime.environment, 'CLIENT_KEY'))
    },
    table: runtime.table,
    work,
    nowMs,
    requestId,
    settings,
    environment: runtime.environment,
    requireMatch: version => requireMatch(headerOf(exchange, 'if-match'), version),
  }
}
