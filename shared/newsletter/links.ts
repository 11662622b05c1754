// The token of a subscriber: one for both links of every mail, good as long as the subscriber is there. No I/O.
import { isGenuine, linkToken, parseLinkToken } from '../mail/link-token.ts'

const FOREVER = 0
const SUBSCRIBER_CLAIM = { purpose: 'newsletter' as const, state: '' }

export function subscriberToken(key: string, id: number): string {
  return linkToken(key, { ...SUBSCRIBER_CLAIM, id, expiresAt: FOREVER })
}

/**
 * The id of the subscriber, who may be gone meanwhile; undefined for what we did not make. Under any of the `keys`:
 * links to opt out are good for ever, and old mails have some that were made under the key of client addresses.
 */
export function subscriberIdOf(keys: string[], text: string, nowSeconds: number): number | undefined {
  const token = parseLinkToken(text)
  return token && keys.some(key => isGenuine(key, token, SUBSCRIBER_CLAIM, nowSeconds)) ? token.id : undefined
}
