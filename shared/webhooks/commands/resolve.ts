// From the host of a subscriber's URL to the addresses to dial.
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { isLocalhost } from '../address.ts'

// Asked again after 1, 2 and 4 seconds, since a lost datagram must not cost the delivery; the caller's signal ends it.
const FIRST_TRY_MS = 1_000
const TRIES = 3

export type ResolveOptions = {
  signal: AbortSignal
  /** Instead of the machine's own, each an address with an optional port. */
  nameServers?: string[] | undefined
}

/**
 * The addresses of a bare host, in the order to dial them: those of IPv4, or else, where there are none, of IPv6.
 * Rejects as `dns.promises.Resolver` does (`ENOTFOUND`, …; `ECANCELLED` on the signal).
 * It has a resolver of its own because `dns.lookup` shares four threads and cannot be stopped.
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

/** The name is there, but not with an address of this kind. */
function hasNoRecord(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === dns.NODATA
}
