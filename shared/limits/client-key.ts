// The limiter's key of a client: an HMAC of the IP address, which is personal data. `key` is the value of a
// secret: a rotation changes all keys, so that counts begin again.
import { createHmac } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { currentKey } from '../aws/secret-value.ts'

/** An IPv6 address counts as its /64, which is what one household has. */
export function clientKey(address: string, key: string): string {
  return hashed(networkOf(address), key)
}

function hashed(network: string, key: string): string {
  return createHmac('sha256', currentKey(key).key).update(network).digest('base64url').slice(0, 27)
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

function networkOf(address: string): string {
  const ipv4 = MAPPED.exec(address)?.[1]
  return ipv4 ?? (isIPv6(address) ? firstGroups(address) : address)
}

/** The first four groups of 16 bits, without leading zeros. */
function firstGroups(address: string): string {
  const [head = '', tail] = address.split('%', 1).join('').split('::')
  const left = head.split(':').filter(group => group !== '')
  const right = tail === undefined ? [] : tail.split(':').filter(group => group !== '')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}
