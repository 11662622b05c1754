// Resolves the host of a receiver's URL to addresses.
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { isLocalhost } from '../address.ts'

// Queries again after 1, 2 and 4 seconds, since a datagram may get lost. The caller's signal ends it.
const FIRST_TRY_MS = 1_000
const TRIES = 3

export type ResolveOptions = {
  signal: AbortSignal
  /** Replaces the name servers of the machine; each is an address with an optional port. */
  nameServers?: string[] | undefined
}

/**
 * Returns the IPv4 addresses of a host, or its IPv6 addresses if it has none of IPv4. Rejects with the codes
 * of `dns.promises.Resolver`. `dns.lookup` is not used: it shares four threads and cannot be cancelled.
 */
export async function resolveHost(host: string, { signal, nameServers }: ResolveOptions): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  if (isLocalhost(host)) return ['127.0.0.1', '::1']

  const resolver = new dns.Resolver({ timeout: FIRST_TRY_MS, tries: TRIES })
  if (nameServers) resolver.setServers(nameServers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return await resolver.resolve4(host)
  } catch (error) {
    if (signal.aborted || !hasNoRecord(error)) throw error
    return await resolver.resolve6(host)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** The name exists, but has no address of this family. */
function hasNoRecord(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === dns.NODATA
}
