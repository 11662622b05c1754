// The innermost step: calls the endpoint's handler, unless the answer to the same request is kept.
import type { Content } from '../cache/content.ts'
import { startUnitOfWork, type UnitOfWork } from '../events/unit-of-work.ts'
import type { Reply } from '../http/reply.ts'
import { clientKey } from '../limits/client-key.ts'
import { required } from '../runtime/environment.ts'
import { withKnownKeys } from '../runtime/secrets.ts'
import { siteUrlOf } from '../site/settings.ts'
import type { Step } from './chain.ts'
import { requireMatch } from './conditional.ts'
import type { Call } from './handler.ts'
import { waitForCount } from './limit.ts'
import {
  headerOf,
  type RequestContext,
  type WithAnswer,
  type WithCaller,
  type WithClaim,
  type WithContent,
  type WithInput,
  type WithLimit,
  type WithRoute,
  type WithSettings,
} from './request-context.ts'

type Needs = RequestContext &
  WithRoute &
  WithContent &
  WithSettings &
  WithCaller &
  WithLimit &
  WithClaim &
  WithInput

export function handle(): Step<Needs, WithAnswer> {
  const handleBefore = async (context: Needs): Promise<WithAnswer> => {
    const { replay, openContent, runtime } = context
    if (replay) return { answer: { replay } }
    const opened = await openContent()
    // A handler opens what the request contains before it writes, so it may run again.
    return { answer: { reply: await withKnownKeys(runtime, () => answer(context, opened)) } }
  }
  return { before: handleBefore }
}

/** What shows nothing but public content is answered once, and again after a change. */
async function answer(context: Needs, content: Content): Promise<Reply> {
  const { route, input } = context
  if (!route.endpoint.isCacheable) return await route.handler(callOf(context, content))
  const name = JSON.stringify([route.endpoint.path, route.params, input?.query])
  const known = content.answers?.get(name)
  if (known) return known
  const reply = await route.handler(callOf(context, content))
  if (!reply.isVolatile) content.answers?.set(name, reply)
  return reply
}

function callOf(context: Needs, content: Content): Call {
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
    hashClient: key => clientKey(event.requestContext.identity.sourceIp, key),
    table,
    content,
    work: workOf(context),
    nowMs,
    requestId,
    cursorAt: (filters = {}) => ({
      key: required(environment, 'CLIENT_KEY'),
      place: JSON.stringify([route.endpoint.method, route.endpoint.path, route.params, filters]),
    }),
    settings,
    environment,
    requireMatch: version => requireMatch(headerOf(context, 'if-match'), version),
  }
}

function workOf(context: Needs): UnitOfWork {
  const { runtime, nowMs, requestId, gatewayId, route, settings, claim } = context
  const { table, sender, environment, log } = runtime
  return startUnitOfWork({
    table,
    sender,
    nowMs,
    clock: runtime.clock,
    requestId,
    gatewayId,
    siteUrl: async () => siteUrlOf(settings, environment.SITE_URL),
    log,
    declared: { names: route.endpoint.emits, isStrict: environment.REFUSE_UNDECLARED_EVENTS },
    admitted: () => waitForCount(context),
    keep: claim?.keep,
    onKept: () => {
      if (claim) claim.isKept = true
    },
  })
}
