// Guessing one account's password from many addresses: after 50 wrong ones an hour, only addresses that have logged in
// to it, or set its password, before go on. An e-mail address without an account is guarded alike.
import * as z from 'zod/mini'
import { foldedEmail } from '../../http/email.ts'
import { ApiError } from '../../http/errors.ts'
import { clientKey } from '../../limits/client-key.ts'
import { consume, giveBack } from '../../limits/limiter.ts'
import type { Action } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { limitKey } from '../../table/design.ts'

const MOST_FAILURES = 50
const ATTEMPTS = { scope: 'login-email', kind: 'window', windowMs: 60 * 60 * 1000 } as const
const KNOWN_SCOPE = 'login-address'
const KNOWN_SECONDS = 30 * 24 * 60 * 60

/** Who tries to log in, as keyed hashes: neither e-mail nor address is stored. */
export type LoginCaller = {
  email: string
  /** Of e-mail and address together. */
  pair: string
  /** Times the limit. */
  scale: number
}

/** `client` is the keyed hash of the caller's address. */
export function loginCaller(email: string, client: string, key: string, scale: number): LoginCaller {
  const folded = foldedEmail(email)
  return { email: clientKey(folded, key), pair: clientKey(`${folded} ${client}`, key), scale }
}

const KnownAddress = z.object({ expires: z.int() })

/** `refusal`: what the caller is told. `isCounted`: to be given back once the password was right. */
type LoginAttempt = { refusal: ApiError | undefined; isCounted: boolean }

/** Counts a try before the password is looked at, so that many at once are no more than the limit. */
export async function countAttempt(
  table: Table,
  { email, pair, scale }: LoginCaller,
  nowMs: number,
): Promise<LoginAttempt> {
  const most = Math.max(1, Math.floor(MOST_FAILURES * scale))
  const [{ isAllowed, resetMs }, known] = await Promise.all([
    consume(table, ATTEMPTS, email, most, nowMs),
    table.find(limitKey(KNOWN_SCOPE, pair), KnownAddress),
  ])
  const isKnown = known !== undefined && known.expires * 1000 > nowMs
  const refusal = isAllowed || isKnown ? undefined : tooManyFailures(resetMs - nowMs)
  return { refusal, isCounted: isAllowed }
}

function tooManyFailures(waitMs: number): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    'Too many wrong passwords for this e-mail address. Try again later, or from where you logged in before.',
    { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) },
  )
}

/** A right password is no wrong one. */
export function refundAttempt(table: Table, { email }: LoginCaller, nowMs: number): Promise<void> {
  return giveBack(table, ATTEMPTS, email, nowMs)
}

/** With a login: for 30 days its address is one that the account is known to log in from. */
export function rememberAddress({ pair }: LoginCaller, nowSeconds: number): Action {
  return {
    Put: { Item: { ...limitKey(KNOWN_SCOPE, pair), expires: nowSeconds + KNOWN_SECONDS } },
  }
}
