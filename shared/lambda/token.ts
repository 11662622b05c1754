// Reads the bearer token of the request and its user, while the settings are read.
import { parseToken } from '../accounts/secrets.ts'
import { findTokenWithUser } from '../accounts/store/tokens.ts'
import type { Step } from './chain.ts'
import {
  headerOf,
  type RequestContext,
  type TokenWithUser,
  type WithRoute,
  type WithToken,
} from './request-context.ts'

export function token(): Step<RequestContext & WithRoute, WithToken> {
  const tokenBefore = (context: RequestContext & WithRoute): WithToken => {
    let reading: Promise<TokenWithUser> | undefined
    const readToken = () => {
      reading ??= read(context)
      return reading
    }
    // Without a handler of its own, a failure before anything awaits the token would end the process.
    if (context.route.endpoint.ability !== null) readToken().catch(() => undefined)
    return { readToken }
  }
  return { before: tokenBefore }
}

async function read(context: RequestContext): Promise<TokenWithUser> {
  const presented = presentedToken(context)
  return presented && (await findTokenWithUser(context.runtime.table, presented.userId, presented.tokenId))
}

/** The parts of the bearer token, which may be wrong. Undefined if there is none. */
export function presentedToken(context: RequestContext) {
  const [, text] = /^Bearer +(\S+)$/i.exec(headerOf(context, 'authorization')?.trim() ?? '') ?? []
  return text === undefined ? undefined : parseToken(text)
}
