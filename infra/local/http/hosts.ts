// Decides which addresses the service listens on and which Host headers it accepts. It rejects other hosts,
// so that a web page cannot reach it by a DNS name that points to this machine (DNS rebinding).
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { createServer, isIP, isIPv6, type Server } from 'node:net'

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

/** The host without the port, which is another one outside of a container. */
function nameIn(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase()) ?? []
  return bracketed !== undefined && isIPv6(bracketed) ? bracketed : plain
}

/** Port 0 means any free port of the first address. The error for an unusable address says what to do. */
export async function listenOn(server: HttpServer, addresses: string[], port: number) {
  const [first = '127.0.0.1', ...others] = addresses
  await listen(server, first, port)
  const address = server.address()
  const chosen = address && typeof address === 'object' ? address.port : port
  const further = others.map(() => createServer(socket => server.emit('connection', socket)))
  const close = async () => {
    const all: Server[] = [server, ...further]
    await Promise.all(all.map(one => new Promise(resolve => one.close(resolve))))
  }
  try {
    for (const [n, one] of further.entries()) await listen(one, others[n] ?? '', chosen)
  } catch (error) {
    await close()
    throw error
  }
  return { port: chosen, close }
}

async function listen(server: Server, address: string, port: number): Promise<void> {
  try {
    await once(server.listen(port, address), 'listening')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new Error(
      `Port ${port} of ${address} is in use. Stop the other program, or choose another port: --port N.`,
    )
  }
}
