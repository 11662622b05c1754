// The innermost step: calls the endpoint's handler, unless the answer to the same request is kept.
import { startUnitOfWork, type UnitOfWork } from '../events/unit-of-work.ts'
import { clientKey } from '../limits/client-key.ts'
import { required } from '../runtime/environment.ts'
import { siteUrlOf } from '../site/settings.ts'
import type { Step } from './chain.ts'
import { requireMatch } from './conditional.ts'
import type { Call } from './handler.ts'
import {
  headerOf,
  type RequestContext,
  type WithAnswer,
  type WithCaller,
  type WithClaim,
  type WithInput,
  type WithRoute,
  type WithSettings,
} from './request-context.ts'

type Needs = RequestContext & WithRoute & WithSettings & WithCaller & WithClaim & WithInput

export function handle(): Step<Needs, WithAnswer> {
  const handleBefore = async (context: Needs): Promise<WithAnswer> => {
    const { replay, route } = context
    return { answer: replay ? { replay } : { reply: await route.handler(callOf(context)) } }
  }
  return { before: handleBefore }
}

function callOf(context: Needs): Call {
  const { runtime, event, nowMs, requestId, route, input, caller, settings } = context
  const { environment, table } = runtime
  return {
    params: route.params,
    query: input?.query,
    body: input?.body,
    get actor() {
      if (!caller) throw new Error('This endpoint needs no token, so there is no actor.')
      return caller.actor
    },
    get client() {
      return clientKey(event.requestContext.identity.sourceIp, required(environment, 'CLIENT_KEY'))
    },
    table,
    work: workOf(context),
    nowMs,
    requestId,
    settings,
    environment,
    requireMatch: version => requireMatch(headerOf(context, 'if-match'), version),
  }
}

function workOf({ runtime, nowMs, requestId, gatewayId, route, settings, claim }: Needs): UnitOfWork {
  const { table, sender, environment, log } = runtime
  return startUnitOfWork({
    table,
    sender,
    nowMs,
    requestId,
    gatewayId,
    siteUrl: async () => siteUrlOf(settings, environment.SITE_URL),
    log,
    declared: { names: route.endpoint.emits, isStrict: environment.REFUSE_UNDECLARED_EVENTS },
    keep: claim?.keep,
    onKept: () => {
      if (claim) claim.isKept = true
    },
  })
}
