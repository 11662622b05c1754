// Finds a TCP port on this machine that nobody listens on at the moment.
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Free now, not reserved: who takes it later must be ready to find it taken. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('A TCP server without a port.')
  return address.port
}
