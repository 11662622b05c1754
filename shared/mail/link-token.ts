// The tokens of links in mails: derived from a key outside the table, so that nothing stored lets a reader in.
import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a link is for; one of another purpose is no token here. */
export type LinkPurpose = 'verify-email' | 'reset-password' | 'newsletter'

/** `expiresAt` in epoch seconds, 0 for a link that is good for ever. */
export type LinkToken = { id: number; expiresAt: number; mac: string }

const TOKEN = /^([1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.([\w-]{43})$/

type LinkClaim = Pick<LinkToken, 'id' | 'expiresAt'> & {
  purpose: LinkPurpose
  /** What of the record must still be as it was: once it moves, the link is used up. */
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

/** What a token claims; only `isGenuine` says whether that is so, once the record it names was read. */
export function parseLinkToken(text: string): LinkToken | undefined {
  const [, id, expiresAt, mac] = TOKEN.exec(text) ?? []
  return mac === undefined ? undefined : { id: Number(id), expiresAt: Number(expiresAt), mac }
}

/** Whether we made it, for this purpose and this state, and its time is not over. */
export function isGenuine(
  key: string,
  token: LinkToken,
  wanted: Pick<LinkClaim, 'purpose' | 'state'>,
  nowSeconds: number,
): boolean {
  const expected = macOf(key, { ...token, ...wanted })
  const isOurs = timingSafeEqual(Buffer.from(token.mac), Buffer.from(expected))
  return isOurs && (token.expiresAt === 0 || token.expiresAt > nowSeconds)
}
