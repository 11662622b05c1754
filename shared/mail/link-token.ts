// The tokens of links in mails, signed with a key outside the table: a reader of the table cannot forge one.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { currentKey, FIRST_KEY_ID, findKey } from '../aws/secret-value.ts'

/** `expiresAt` in epoch seconds; 0 for a link that never expires. `keyId` names the key of `mac`. */
export type LinkToken = { id: number; expiresAt: number; mac: string; keyId: number }

const TOKEN = /^([1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.([\w-]{43})(?:\.([1-9]\d{0,5}))?$/

export type LinkState = {
  /** A token is valid for its own purpose only. */
  purpose: 'verify-email' | 'reset-password' | 'newsletter'
  /** A value of the record; the link is used up once the value changes. */
  state: string | number
}

type LinkClaim = LinkState & Pick<LinkToken, 'id' | 'expiresAt'>

function macOf(key: string, { purpose, id, expiresAt, state }: LinkClaim): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(['link', purpose, id, expiresAt, state]))
    .digest('base64url')
}

/** `value` is that of the secret. */
export function linkToken(value: string, claim: LinkClaim): string {
  const { id, key } = currentKey(value)
  const token = `${claim.id}.${claim.expiresAt}.${macOf(key, claim)}`
  return id === FIRST_KEY_ID ? token : `${token}.${id}`
}

/** Parses a token without verifying it: read the record with its id, then call `isGenuine`. */
export function parseLinkToken(text: string): LinkToken | undefined {
  const [, id, expiresAt, mac, keyId = FIRST_KEY_ID] = TOKEN.exec(text) ?? []
  if (mac === undefined) return undefined
  return { id: Number(id), expiresAt: Number(expiresAt), mac, keyId: Number(keyId) }
}

/** Whether the service signed the token for this purpose and state, and it has not expired. */
export function isGenuine(value: string, token: LinkToken, claim: LinkState, nowSeconds: number): boolean {
  const key = findKey(value, token.keyId)
  if (key === undefined) return false
  const expected = macOf(key, { ...token, ...claim })
  const isOurs = timingSafeEqual(Buffer.from(token.mac), Buffer.from(expected))
  return isOurs && (token.expiresAt === 0 || token.expiresAt > nowSeconds)
}
