// Random loopback addresses and ports for the emulators, so that no web page finds one by trying.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'

/** One of 16 million addresses; macOS has only one. Each call returns another one. */
export function hiddenAddress(): string {
  if (process.platform === 'darwin') return '127.0.0.1'
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
}

/** Lets a server of this process listen. */
export async function listenHidden(server: Server): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  const host = hiddenAddress()
  await once(server.listen(0, host), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.')
  return {
    endpoint: `http://${host}:${address.port}`,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
