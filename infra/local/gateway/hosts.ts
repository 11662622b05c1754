// Where the gateway listens, and by which names it may be called: a name that leads here from elsewhere (DNS
// rebinding) would make this machine part of a stranger's site.
import { isIP, isIPv6 } from 'node:net'

export type Hosts = {
  /** To listen on. */
  addresses: string[]
  /** For a request's Host header. */
  allows(host: string): boolean
  /** What to tell who called by another name. */
  refusal: string
}

const OWN = ['127.0.0.1', 'localhost']
const EVERYWHERE = ['0.0.0.0', '::']

/** @param given what else the service is called by: addresses of this machine, and names that lead to it. */
export function readHosts(given: string[]): Hosts {
  const wanted = given.map(host => host.toLowerCase())
  const addresses = wanted.filter(host => isIP(host))
  const onAll = EVERYWHERE.find(each => addresses.includes(each))
  const names = [...OWN, ...wanted.filter(host => !EVERYWHERE.includes(host))]
  // A name alone does not say on which address.
  const isNameAlone = addresses.length === 0 && wanted.some(host => !OWN.includes(host))
  const all = onAll ?? (isNameAlone ? '0.0.0.0' : undefined)
  return {
    addresses: all ? [all] : [...new Set(['127.0.0.1', ...addresses])],
    allows(host) {
      const name = nameIn(host)
      // A page that was loaded from an address is of that address: only names can be turned.
      return names.includes(name) || (onAll !== undefined && isIP(name) > 0)
    },
    refusal: `This service answers to ${names.join(', ')}. To call it by another name, start it with --host NAME.`,
  }
}

/** Without the port, which may be another one outside of a container. */
function nameIn(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase()) ?? []
  return bracketed !== undefined && isIPv6(bracketed) ? bracketed : plain
}
