// Which addresses a delivery may dial: public ones, and what the operator vouched for.
import { BlockList, isIP, isIPv4 } from 'node:net'

/**
 * What is allowed beyond public addresses. `allowedHosts` are exact hosts of URLs, with or without a port
 * (`hooks.internal`, `hooks.internal:8080`, `[fd00::5]:8080`); without one, every port of that host.
 */
export type AddressPolicy = { allowLoopback: boolean; allowedHosts: string[] }

const nonPublicV4: [network: string, prefix: number][] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers (CGNAT)
  ['169.254.0.0', 16], // link-local
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 3], // multicast, class E, broadcast
]

// Only 2000::/3 is given out as public. The sweeps around it hold v4-compatible, v4-mapped and v4-translated
// addresses, both NAT64 prefixes, 100::/64, 5f00::/16, fc00::/7, fe80::/10, fec0::/10 and ff00::/8.
// They are ranges, since a subnet that covers ::ffff:0:0/96 would match every IPv4 address as well.
const nonPublicV6Ranges: [first: string, last: string][] = [
  ['::', '::'],
  ['::2', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]
const nonPublicV6: [network: string, prefix: number][] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
]

const exceptLoopback = new BlockList()
const nonPublic = new BlockList()
const nothing = new BlockList()
for (const list of [exceptLoopback, nonPublic]) {
  for (const [network, prefix] of nonPublicV4) list.addSubnet(network, prefix, 'ipv4')
  for (const [first, last] of nonPublicV6Ranges) list.addRange(first, last, 'ipv6')
  for (const [network, prefix] of nonPublicV6) list.addSubnet(network, prefix, 'ipv6')
}
nonPublic.addSubnet('127.0.0.0', 8, 'ipv4')
nonPublic.addAddress('::1', 'ipv6')

/** The addresses that a delivery to this URL must not dial. */
export function blockListFor(url: URL, policy: AddressPolicy): BlockList {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const host = url.hostname.replace(/\.$/, '')
  const isAllowed = (allowed: string) => [host, `${host}:${port}`].includes(allowed.toLowerCase())
  if (policy.allowedHosts.some(isAllowed)) return nothing
  return policy.allowLoopback ? exceptLoopback : nonPublic
}

/** False for anything that is no plain IP address: what cannot be judged is not dialled. */
export function isDialable(address: string, blockList: BlockList): boolean {
  // An address with a zone (`fe80::1%eth0`) passes for IPv6 but is on no list.
  if (isIP(address) === 0 || address.includes('%')) return false
  return !blockList.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

export function isPublicAddress(address: string): boolean {
  return isDialable(address, nonPublic)
}

/** Whether a URL's hostname is, without asking anyone, an address that is not public; `localhost` is one. */
export function isPrivateLiteral(hostname: string): boolean {
  const address = knownAddress(hostname)
  return address !== null && !isPublicAddress(address)
}

/** Whether deliveries to this URL could only ever end as `blocked_address`: to be refused when it is given. */
export function isRefusedHost(url: URL, policy: AddressPolicy): boolean {
  const address = knownAddress(url.hostname)
  return address !== null && !isDialable(address, blockListFor(url, policy))
}

/** A URL's hostname without the brackets of IPv6 and the dot that may end a name. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** RFC 6761: these names mean this machine, and no name server is asked. */
export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

function knownAddress(hostname: string): string | null {
  const host = bareHost(hostname)
  if (isLocalhost(host)) return '127.0.0.1'
  return isIP(host) === 0 ? null : host
}
