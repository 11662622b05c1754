// A connected socket to a subscriber, opened to the very address that was checked.
import { once } from 'node:events'
import { type BlockList, connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type AddressPolicy, bareHost, blockListFor, isDialable } from '../address.ts'
import { DeliveryError } from '../delivery.ts'
import { resolveHost } from './resolve.ts'

// A name with a hundred addresses is no licence to knock at a hundred doors.
const MOST_ADDRESSES = 4
export type DialOptions = { policy: AddressPolicy; nameServers?: string[] | undefined; signal: AbortSignal }

/** Throws DeliveryFault. The signal ends it at any point, and destroys the socket later too. */
export async function dial(url: URL, { policy, nameServers, signal }: DialOptions): Promise<Socket> {
  const host = bareHost(url.hostname)
  const blockList = blockListFor(url, policy)
  const addresses = await resolveHost(host, { signal, nameServers }).catch(cause => {
    throw new DeliveryError('dns', cause)
  })
  const dialable = addresses.filter(address => isDialable(address, blockList))
  if (dialable.length === 0) throw new DeliveryError('blocked_address')

  const secure = url.protocol === 'https:'
  const port = Number(url.port || (secure ? 443 : 80))
  const socket = await connectFirst(dialable.slice(0, MOST_ADDRESSES), { port, blockList, signal })
  return secure ? await startTls(socket, host, signal) : socket
}

type DialTarget = { port: number; blockList: BlockList; signal: AbortSignal }

/** The next address is tried only while nothing was sent, so this is no second delivery. */
async function connectFirst(addresses: string[], { port, blockList, signal }: DialTarget): Promise<Socket> {
  let cause: unknown
  for (const host of addresses) {
    const socket = connect({ host, port, blockList, signal })
    socket.on('error', ignoreLateError)
    try {
      await once(socket, 'connect', { signal })
      return socket
    } catch (error) {
      cause = error
    }
  }
  throw new DeliveryError('connection', cause)
}

/**
 * TLS over the open socket, because node:https does not hold to a block list.
 * The certificate is verified against the name in the URL; an address is not sent as a server name (RFC 6066).
 */
async function startTls(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const servername = isIP(host) === 0 ? host : ''
  const secured = connectTls({
    socket,
    host,
    servername,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  })
  secured.on('error', ignoreLateError)
  await once(secured, 'secureConnect', { signal }).catch(cause => {
    throw new DeliveryError('tls', cause)
  })
  return secured
}

/** Faults come as rejections; one that comes when nobody waits any more must not end the process. */
export function ignoreLateError(): void {}
