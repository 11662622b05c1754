// Reads the bearer token of the request and its user, while the settings are read.
import { parseToken, verifySecret } from '../accounts/secrets.ts'
import { findBuilder } from '../accounts/store/admins.ts'
import { findTokenWithUser } from '../accounts/store/tokens.ts'
import { approximateBytes, openByteCache } from '../cache/byte-cache.ts'
import { perTable } from '../table/per-table.ts'
import type { Step } from './chain.ts'
import {
  headerOf,
  type RequestContext,
  type TokenWithUser,
  type WithRoute,
  type WithSettings,
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

const MAX_BYTES = 1_000_000
/** Tokens and their users as they were read last, by id. They may be outdated. */
const tokensOf = perTable(() => openByteCache<TokenWithUser>(MAX_BYTES, approximateBytes))

/** The presented token as this function last saw it: a request with it still reads it again. */
export function rememberedToken(context: RequestContext): TokenWithUser {
  const presented = presentedToken(context)
  return presented && tokensOf(context.runtime.table).get(idOf(presented))
}

async function read(context: RequestContext): Promise<TokenWithUser> {
  const presented = presentedToken(context)
  if (!presented) return undefined
  const { table } = context.runtime
  const found = await findTokenWithUser(table, presented.userId, presented.tokenId)
  tokensOf(table).set(idOf(presented), found)
  return found
}

/** The presented token, if it is the token of a build whose owner is an admin. */
export async function readBuildToken(context: RequestContext & WithSettings): Promise<TokenWithUser> {
  const presented = presentedToken(context)
  if (!presented) return undefined
  const { table } = context.runtime
  const validity = { nowSeconds: Math.floor(context.nowMs / 1000), settings: context.settings }
  const found = await findBuilder(table, presented, validity)
  const remembered = rememberedToken(context)
  // A wrong secret says nothing about the token.
  const isOver = remembered && verifySecret(presented.secret, remembered.token.secret_hash)
  if (found || isOver) tokensOf(table).set(idOf(presented), found)
  return found
}

function idOf({ userId, tokenId }: { userId: number; tokenId: number }): string {
  return `${userId} ${tokenId}`
}

/** The parts of the bearer token, which may be wrong. Undefined if there is none. */
export function presentedToken(context: RequestContext) {
  const [, text] = /^Bearer +(\S+)$/i.exec(headerOf(context, 'authorization')?.trim() ?? '') ?? []
  return text === undefined ? undefined : parseToken(text)
}
