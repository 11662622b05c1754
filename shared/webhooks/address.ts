// Which addresses a delivery may dial: public ones, and those that the operator allowed. No I/O.
import { BlockList, isIP, isIPv4 } from 'node:net'
import type { Environment } from '../runtime/environment.ts'

/**
 * Allows loopback (the local run only), and private addresses of exact hosts, with or without a port: `a.lan`
 * or `[fd00::5]:8080`. Neither allows metadata services, which know a function's credentials.
 */
export type AddressPolicy = { allowLoopback: boolean; allowedHosts: string[] }

type Subnet = [network: string, prefix: number, family: 'ipv4' | 'ipv6']
type Range = [first: string, last: string]

const ALWAYS_BLOCKED: Subnet[] = [
  ['0.0.0.0', 8, 'ipv4'], // this network
  ['169.254.0.0', 16, 'ipv4'], // link-local: metadata of machines, containers and functions
  ['192.0.0.0', 24, 'ipv4'], // protocol assignments
  ['192.0.2.0', 24, 'ipv4'], // documentation
  ['192.88.99.0', 24, 'ipv4'], // 6to4 relays
  ['198.18.0.0', 15, 'ipv4'], // benchmarking
  ['198.51.100.0', 24, 'ipv4'], // documentation
  ['203.0.113.0', 24, 'ipv4'], // documentation
  ['224.0.0.0', 3, 'ipv4'], // multicast, class E, broadcast
  ['2001::', 23, 'ipv6'], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32, 'ipv6'], // documentation
  ['2002::', 16, 'ipv6'], // 6to4
  ['3fff::', 20, 'ipv6'], // documentation
  ['fd00:ec2::', 32, 'ipv6'], // metadata of AWS, inside the private range
]
// All but 2000::/3, the public addresses: v4-mapped addresses, NAT64, link-local, multicast and others.
// These are ranges, since a subnet that covers ::ffff:0:0/96 would match every IPv4 address as well.
const ALWAYS_BLOCKED_RANGES: Range[] = [
  ['::', '::'],
  ['::2', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['4000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]
const PRIVATE_NETWORKS: Subnet[] = [
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'], // shared by carriers (CGNAT)
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
]
const LOOPBACK: Subnet[] = [
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
]

/** By what they allow. Each is made when it is first needed, as its making takes milliseconds of a start. */
const lists = new Map<string, BlockList>()

function listWith(allowsPrivate: boolean, allowsLoopback: boolean): BlockList {
  const name = `${allowsPrivate} ${allowsLoopback}`
  const made = lists.get(name)
  if (made) return made
  const list = new BlockList()
  const more = [...(allowsPrivate ? [] : PRIVATE_NETWORKS), ...(allowsLoopback ? [] : LOOPBACK)]
  for (const [network, prefix, family] of [...ALWAYS_BLOCKED, ...more]) {
    list.addSubnet(network, prefix, family)
  }
  for (const [first, last] of ALWAYS_BLOCKED_RANGES) list.addRange(first, last, 'ipv6')
  lists.set(name, list)
  return list
}

/** Whether the operator allowed private addresses for the host of this URL. */
export function isAllowedHost(url: URL, { allowedHosts }: AddressPolicy): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const host = url.hostname.replace(/\.$/, '')
  return allowedHosts.some(allowed => [host, `${host}:${port}`].includes(allowed.toLowerCase()))
}

/** Returns the addresses that a delivery to this URL must not dial. */
export function blockListFor(url: URL, policy: AddressPolicy): BlockList {
  return listWith(isAllowedHost(url, policy), policy.allowLoopback)
}

/** Returns false for anything that is not a plain IP address. */
export function isDialable(address: string, blockList: BlockList): boolean {
  // An address with a zone (`fe80::1%eth0`) is valid IPv6, but matches no list.
  if (isIP(address) === 0 || address.includes('%')) return false
  return !blockList.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

export function isPublicAddress(address: string): boolean {
  return isDialable(address, listWith(false, false))
}

/** Whether a URL's hostname is a literal address that is not public, or `localhost`. */
export function isPrivateLiteral(hostname: string): boolean {
  const address = literalAddress(hostname)
  return address !== null && !isPublicAddress(address)
}

/** Whether every delivery to this URL would end as `blocked_address`. Such a URL is rejected as input. */
export function isBlockedHost(url: URL, policy: AddressPolicy): boolean {
  const address = literalAddress(url.hostname)
  return address !== null && !isDialable(address, blockListFor(url, policy))
}

/** Removes the brackets of an IPv6 address and the trailing dot of a name. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** RFC 6761: these names mean this machine, without a query to a name server. */
export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

function literalAddress(hostname: string): string | null {
  const host = bareHost(hostname)
  if (isLocalhost(host)) return '127.0.0.1'
  return isIP(host) === 0 ? null : host
}

/** What this deployment allows beyond public addresses. */
export function addressPolicy(environment: Environment): AddressPolicy {
  return {
    allowLoopback: environment.ALLOW_LOOPBACK_WEBHOOKS,
    allowedHosts: environment.ALLOWED_WEBHOOK_HOSTS,
  }
}
