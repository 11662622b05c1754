// The tokens of links in mails, signed with a key outside the table: a reader of the table cannot forge one.
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The purpose of a link. A token is valid for its own purpose only. */
export type LinkPurpose = 'verify-email' | 'reset-password' | 'newsletter'

/** `expiresAt` in epoch seconds; 0 for a link that never expires. */
export type LinkToken = { id: number; expiresAt: number; mac: string }

const TOKEN = /^([1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.([\w-]{43})$/

type LinkClaim = Pick<LinkToken, 'id' | 'expiresAt'> & {
  purpose: LinkPurpose
  /** A value of the record; the link is used up once the value changes. */
  state: string | number
}

function macOf(key: string, { purpose, id, expiresAt, state }: LinkClaim): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(['link', purpose, id, expiresAt, state]))
    .digest('base64url')
}

export function linkToken(key: string, claim: LinkClaim): string {
  return `${claim.id}.${claim.expiresAt}.${macOf(key, claim)}`
}

/** Parses a token without verifying it: read the record with its id, then call `isGenuine`. */
export function parseLinkToken(text: string): LinkToken | undefined {
  const [, id, expiresAt, mac] = TOKEN.exec(text) ?? []
  return mac === undefined ? undefined : { id: Number(id), expiresAt: Number(expiresAt), mac }
}

/** Whether the service signed the token for this purpose and state, and it has not expired. */
export function isGenuine(
  key: string,
  token: LinkToken,
  claim: Pick<LinkClaim, 'purpose' | 'state'>,
  nowSeconds: number,
): boolean {
  const expected = macOf(key, { ...token, ...claim })
  const isOurs = timingSafeEqual(Buffer.from(token.mac), Buffer.from(expected))
  return isOurs && (token.expiresAt === 0 || token.expiresAt > nowSeconds)
}
