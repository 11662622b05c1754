// Decides which addresses the service listens on and which Host headers it accepts. It rejects other hosts,
// so that a web page cannot reach it by a DNS name that points to this machine (DNS rebinding).
import { isIP, isIPv6 } from 'node:net'

export type Hosts = {
  /** The addresses to listen on. */
  addresses: string[]
  /** Whether a Host header is accepted. */
  allows(host: string): boolean
  /** The message for other hosts. */
  refusal: string
}

const OWN = ['127.0.0.1', 'localhost']
const EVERYWHERE = ['0.0.0.0', '::']

/** @param hosts further addresses of this machine, and names that resolve to it. */
export function readHosts(hosts: string[]): Hosts {
  const lowerCase = hosts.map(host => host.toLowerCase())
  const addresses = lowerCase.filter(host => isIP(host))
  const onAll = EVERYWHERE.find(address => addresses.includes(address))
  const names = [...OWN, ...lowerCase.filter(host => !EVERYWHERE.includes(host))]
  // A name alone does not say which address to listen on.
  const isNameAlone = addresses.length === 0 && lowerCase.some(host => !OWN.includes(host))
  const all = onAll ?? (isNameAlone ? '0.0.0.0' : undefined)
  return {
    addresses: all ? [all] : [...new Set(['127.0.0.1', ...addresses])],
    allows(host) {
      const name = nameIn(host)
      // Addresses are safe: DNS rebinding needs a name.
      return names.includes(name) || (onAll !== undefined && isIP(name) > 0)
    },
    refusal: `This service answers only to the hosts ${names.join(', ')}. To use another name, start it with --host NAME.`,
  }
}

/** Without the port, which may differ outside of a container. */
function nameIn(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase()) ?? []
  return bracketed !== undefined && isIPv6(bracketed) ? bracketed : plain
}
