// Refuses the request if the caller may not make it: 403 first, then 429, then 401. So a client that repeats
// a bad token learns to wait.
import { ApiError } from '../http/errors.ts'
import { isSwitchedOn } from '../site/settings.ts'
import { unauthenticated } from './authenticate.ts'
import type { Step } from './chain.ts'
import { waitForCount } from './limit.ts'
import type { RequestContext, WithCaller, WithLimit, WithRoute, WithSettings } from './request-context.ts'

type Needs = RequestContext & WithRoute & WithSettings & WithCaller & WithLimit

export function admit(): Step<Needs, object> {
  const admitBefore = async (context: Needs): Promise<object> => {
    const { route, caller, limitResult, isRefused } = context
    const isOpen = route.endpoint.ability === null || caller !== undefined
    const fault = caller?.fault ?? (isOpen ? requirementFault(context) : undefined)
    const mayRunUncounted = route.endpoint.readsFirst && isOpen && !fault && !isRefused
    if (mayRunUncounted) return {}
    await limitResult
    if (fault) throw fault
    await waitForCount(context)
    if (!isOpen) throw unauthenticated()
    return {}
  }
  return { before: admitBefore }
}

/** The fault of a feature that is switched off in the settings, for any caller. */
function requirementFault({ route, settings }: WithRoute & WithSettings): ApiError | undefined {
  const missing = route.endpoint.requires.find(({ setting }) => !isSwitchedOn(settings, setting))
  return missing && new ApiError(missing.code, missing.message)
}
