// The token of a subscriber, in both links of every mail. It never expires. No I/O.
import { isGenuine, linkToken, parseLinkToken } from '../mail/link-token.ts'

const FOREVER = 0
const SUBSCRIBER_CLAIM = { purpose: 'newsletter' as const, state: '' }

export function subscriberToken(key: string, id: number): string {
  return linkToken(key, { ...SUBSCRIBER_CLAIM, id, expiresAt: FOREVER })
}

/**
 * Returns the id in a token that was signed with any of the keys. The subscriber may have been deleted.
 * Links in old mails were signed with the key of client addresses, and must still unsubscribe.
 */
export function subscriberIdOf(keys: string[], text: string, nowSeconds: number): number | undefined {
  const token = parseLinkToken(text)
  return token && keys.some(key => isGenuine(key, token, SUBSCRIBER_CLAIM, nowSeconds)) ? token.id : undefined
}
