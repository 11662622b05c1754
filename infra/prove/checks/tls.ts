// The versions of TLS that the stage's address takes.
import { connect, type SecureVersion } from 'node:tls'
import { type Check, cannotBeTold, heldUnless } from '../check.ts'

type Attempt = 'accepted' | 'refused' | 'not offered'

const REFUSED: SecureVersion[] = ['TLSv1', 'TLSv1.1']
/** A custom domain of the policy TLS_1_2 need not take 1.3. */
const ACCEPTED: SecureVersion = 'TLSv1.2'
const TIMEOUT_MS = 10_000

export const TLS_CHECK: Check = {
  name: 'The TLS policy',
  did: 'Opened connections with one version of TLS each.',
  expected: 'TLS 1.0 and 1.1 are refused, TLS 1.2 is accepted.',
  run: async ({ baseUrl }) => {
    const { protocol, hostname, port } = new URL(baseUrl)
    if (protocol !== 'https:') return cannotBeTold(`${baseUrl} is not an address of HTTPS.`)
    const at = { host: hostname, port: Number(port || 443) }
    const wrong: string[] = []
    for (const version of REFUSED) {
      const attempt = await tryVersion(at, version)
      if (attempt === 'not offered') {
        return cannotBeTold(`The OpenSSL of this machine does not offer ${version}.`)
      }
      if (attempt === 'accepted') wrong.push(`${version} is accepted.`)
    }
    if ((await tryVersion(at, ACCEPTED)) !== 'accepted') wrong.push(`${ACCEPTED} is refused.`)
    const newest = await tryVersion(at, 'TLSv1.3')
    return heldUnless(wrong, `so it is; TLS 1.3 is ${newest}`)
  },
}

/** Nothing is sent over the connection, so its certificate need not be checked. */
export async function tryVersion({ host, port }: { host: string; port: number }, version: SecureVersion) {
  const { promise, resolve } = Promise.withResolvers<Attempt>()
  const socket = connect({
    host,
    port,
    servername: host,
    minVersion: version,
    maxVersion: version,
    // By default OpenSSL offers no version below 1.2.
    ciphers: 'DEFAULT:@SECLEVEL=0',
    rejectUnauthorized: false,
  })
  socket.setTimeout(TIMEOUT_MS, () => resolve('refused'))
  socket.on('secureConnect', () => resolve('accepted'))
  socket.on('error', error => resolve(isOwn(error) ? 'not offered' : 'refused'))
  return await promise.finally(() => socket.destroy())
}

/** Whether OpenSSL itself made no offer. */
function isOwn(error: Error): boolean {
  return /no protocols available|unsupported protocol.*client|NO_PROTOCOLS/i.test(error.message)
}
