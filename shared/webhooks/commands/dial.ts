// Opens the socket of a delivery: looks up the host, checks its addresses, and connects to exactly those.
import { promises as dns } from 'node:dns'
import { once } from 'node:events'
import { type BlockList, connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type PeerCertificate } from 'node:tls'
import { isoTime } from '../../http/time.ts'
import { type AddressPolicy, bareHost, blockListFor, isDialable, isLocalhost } from '../address.ts'
import { codeOf, DeliveryError } from '../failure.ts'

// At most four addresses per host, so that one delivery cannot become a port scan.
const MAX_ADDRESSES = 4

/** Throws DeliveryError. The signal stops it at any point, and destroys the socket afterwards as well. */
export async function dial(url: URL, policy: AddressPolicy, signal: AbortSignal): Promise<Socket> {
  const host = bareHost(url.hostname)
  const blockList = blockListFor(url, policy)
  const addresses = await resolveHost(host, signal).catch(cause => {
    throw new DeliveryError('dns', cause)
  })
  const dialable = addresses.filter(address => isDialable(address, blockList))
  if (dialable.length === 0) throw new DeliveryError('blocked_address')

  const secure = url.protocol === 'https:'
  const port = Number(url.port || (secure ? 443 : 80))
  const socket = await connectFirst(dialable.slice(0, MAX_ADDRESSES), { port, blockList, signal })
  return secure ? await startTls(socket, host, signal) : socket
}

// Queries again after 1, 2 and 4 seconds, since a datagram may get lost. The caller's signal ends it.
const FIRST_TRY_MS = 1_000
const TRIES = 3

/**
 * Returns the IPv4 addresses of a host, or its IPv6 addresses if it has none of IPv4. Rejects with the codes
 * of `dns.promises.Resolver`. `dns.lookup` is not used: it shares four threads and cannot be cancelled.
 */
async function resolveHost(host: string, signal: AbortSignal): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  if (isLocalhost(host)) return ['127.0.0.1', '::1']

  const resolver = new dns.Resolver({ timeout: FIRST_TRY_MS, tries: TRIES })
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return await resolver.resolve4(host)
  } catch (error) {
    // Otherwise the name exists, but has no address of this family.
    if (signal.aborted || codeOf(error) !== dns.NODATA) throw error
    return await resolver.resolve6(host)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

type DialTarget = { port: number; blockList: BlockList; signal: AbortSignal }

/** Tries the next address only before anything was sent, so this never delivers twice. */
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
 * Starts TLS on the open socket, because node:https ignores the block list. The certificate must match the
 * name in the URL; an IP address is not sent as a server name (RFC 6066).
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
  let certificate: PeerCertificate | undefined
  // Before the check of the certificate, which closes the connection.
  secured.prependOnceListener('secure', () => {
    certificate = secured.getPeerCertificate()
  })
  await once(secured, 'secureConnect', { signal }).catch(cause => {
    throw new DeliveryError('tls', cause, dayOf(certificate?.valid_to))
  })
  return secured
}

/** `2026-11-01` of `Nov  1 03:50:34 2026 GMT`. */
function dayOf(time = ''): string | undefined {
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? undefined : isoTime(ms / 1000).slice(0, 10)
}

/** An error after the outcome is known must not end the process. */
export function ignoreLateError(): void {}
