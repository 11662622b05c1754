// How a request is answered, from top to bottom: the chain, and its two longer steps, `admit` and `answer`.
import middy from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { type Content, openContent, uncachedContent } from '../cache/content.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import { withTally } from '../metrics/tally.ts'
import { runtime } from '../runtime/runtime.ts'
import { refreshSecrets } from '../runtime/secrets.ts'
import { isSwitchedOn, type Settings } from '../site/settings.ts'
import { currentSettings, readSettings, rememberSettings } from '../site/store.ts'
import { withDeadline, within } from '../table/retrying.ts'
import {
  callerFault,
  callerOf,
  clientOf,
  countRequest,
  isAdmin,
  isKnownToBeRefused,
  noteUse,
  readToken,
  refusal,
  unauthenticated,
  unavailable,
} from './admission.ts'
import {
  adding,
  type CompleteContext,
  callOf,
  type EndpointHandler,
  handled,
  type Input,
  type PartialContext,
  type Request,
  type RequestContext,
  startSideTask,
  type WithAdmission,
  type WithClaim,
  type WithReply,
  type WithRoute,
} from './handler.ts'
import { idempotency } from './idempotency.ts'
import { readInput, route } from './input.ts'
import { report } from './report.ts'

/**
 * Turns endpoints and their handlers into a Lambda function. `isOperation`: for the operations of batches.
 * Faults by precedence: 404, 413, 503 in maintenance, 403, 429, 401, 409, 422, then the handler's own.
 */
export function serve(all: EndpointHandler[], { isOperation = false } = {}) {
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>(ENDED_BY_LAMBDA)
    .use(report(isOperation))
    .use({ before: adding(route(all)) })
    .use({ before: adding(admit), after: untilCounted, onError: preferRefusal })
    .use(idempotency)
    .use({ before: adding(answer) })
  return async (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
    // Fails here if the runtime cannot be created: inside the chain, `report` would hide the reason.
    runtime()
    return await withTally(() => withDeadline(() => handler(event, context)))
  }
}

/** A handler that Lambda cut off early would continue with the next event, and might commit after its 504. */
const ENDED_BY_LAMBDA = { timeoutEarlyInMillis: 0 }

type RoutedContext = RequestContext & WithRoute

/** A quick endpoint answers within a second. */
const QUICK_MS = 800

async function admit(context: RoutedContext): Promise<WithAdmission> {
  const admitting = findAdmission(context)
  if (!context.route.endpoint.isQuick) return await admitting
  return await within(QUICK_MS, admitting).catch(error => {
    throw error instanceof ApiError ? error : unavailable()
  })
}

/** Decides whether the caller may make the request. A GET goes on while it is counted, all else waits. */
async function findAdmission(context: RoutedContext): Promise<WithAdmission> {
  const { endpoint } = context.route
  await refreshSecrets(context.runtime)
  const client = clientOf(context)

  // Token and public content are read while the settings are. A client that is refused costs no call.
  const openContentOnce = once(() => openPublicContent(context))
  const readTokenOnce = once(() => readToken(context, client))
  if (!isKnownToBeRefused(context, client)) openContentOnce()
  if (endpoint.ability !== null) readTokenOnce()
  const { table, log } = context.runtime
  const readFromContent = async () => readSettings((await openContentOnce()).namesTable)
  const settings = await currentSettings(table, context.nowMs, readFromContent).catch(error => {
    if (!endpoint.limit.failClosed) throw error
    log('error', 'settings could not be read', { request_id: context.requestId, problem: String(error) })
    throw unavailable()
  })
  const isInMaintenance = settings['maintenance.enabled'] && !endpoint.isOpenInMaintenance
  const needsCaller = endpoint.ability !== null || isInMaintenance
  const caller = needsCaller
    ? callerOf(context, client.presented, await readTokenOnce(), settings)
    : undefined
  if (isInMaintenance && !isAdmin(caller)) throw inMaintenance(settings)

  const isOpen = endpoint.ability === null || caller !== undefined
  const fault =
    (caller && callerFault(endpoint, caller)) ?? (isOpen ? featureFault(endpoint, settings) : undefined)

  const mayRead =
    endpoint.method === 'GET' && !endpoint.isQuick && !isKnownToBeRefused(context, client, caller)
  const counted = handled(
    countRequest(context, client, caller, settings).then(result => {
      context.limitResult = result
      if (result && !result.isAllowed) throw refusal(context, result)
      if (caller) noteUse(context, caller)
    }),
  )
  if (!mayRead || !isOpen || fault) {
    // 403 comes before 429, and 429 before 401, so that a client that repeats a bad token learns to wait.
    await counted.catch(refused => {
      throw fault ?? refused
    })
    if (fault) throw fault
    if (!isOpen) throw unauthenticated()
  }
  return { settings, actor: caller?.actor, openContent: openContentOnce, counted }
}

function untilCounted({ internal }: Request<CompleteContext>): Promise<void> {
  return internal.counted
}

/** 429 replaces whatever the read of a client over its limit would have answered. */
async function preferRefusal(request: Request<PartialContext>): Promise<void> {
  await request.internal.counted?.catch(refused => {
    request.error = refused
  })
}

/** Starts the work with the first call. */
function once<T>(start: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= handled(start())
    return running
  }
}

async function openPublicContent(context: RoutedContext): Promise<Content> {
  const { runtime, nowMs, route } = context
  const { table } = runtime
  if (!route.endpoint.readsContent) return uncachedContent(table, nowMs)
  const content = await openContent(table, nowMs)
  startSideTask(context, content.ready)
  // Settings are part of the public content, so later requests need not read them on their own.
  const refresh = async () => rememberSettings(table, await readSettings(content.namesTable), nowMs)
  if (content.namesTable !== table) startSideTask(context, refresh())
  return content
}

/** Only admins pass; health, login and logout stay open. */
function inMaintenance(settings: Settings): ApiError {
  const message = settings['maintenance.message'] || 'The site is in maintenance.'
  return new ApiError('MAINTENANCE_MODE', message, { retryAfterSeconds: 60 })
}

/** The fault of a feature that is switched off in the settings, for any caller. */
function featureFault({ requires }: Endpoint, settings: Settings): ApiError | undefined {
  const missing = requires.find(({ setting }) => !isSwitchedOn(settings, setting))
  return missing && new ApiError(missing.code, missing.message)
}

type ClaimedContext = RoutedContext & WithAdmission & WithClaim

/** Calls the handler with a valid input, unless the answer to the same request is kept. */
async function answer(context: ClaimedContext): Promise<WithReply> {
  const { replay } = context
  if (replay) return { reply: { data: undefined, body: replay } }
  const input = readInput(context)
  const content = await context.openContent()
  return { reply: await replyTo(context, input, content) }
}

/** What shows nothing but public content is answered once, and again after a change. */
async function replyTo(context: ClaimedContext, input: Input, content: Content): Promise<Reply> {
  const { endpoint, handler, params } = context.route
  if (!endpoint.isCacheable) return await handler(callOf(context, input, content))
  const name = JSON.stringify([endpoint.path, params, input.query])
  const known = content.answers?.get(name)
  if (known) return known
  const reply = await handler(callOf(context, input, content))
  if (!reply.isVolatile) content.answers?.set(name, reply)
  return reply
}
