// The token of a subscriber, in both links of every mail. It never expires. No I/O.
import { isGenuine, linkToken, parseLinkToken } from '../mail/link-token.ts'

const FOREVER = 0
const SUBSCRIBER_CLAIM = { purpose: 'newsletter' as const, state: '' }

export function subscriberToken(key: string, id: number): string {
  return linkToken(key, { ...SUBSCRIBER_CLAIM, id, expiresAt: FOREVER })
}

/** Returns the id in a genuine token. The subscriber may have been deleted. */
export function subscriberIdOf(key: string, text: string, nowSeconds: number): number | undefined {
  const token = parseLinkToken(text)
  return token && isGenuine(key, token, SUBSCRIBER_CLAIM, nowSeconds) ? token.id : undefined
}
