// Random loopback addresses and ports for the emulators, so that no web page finds one by trying.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** One of 16 million addresses; macOS has only one. Each call returns another one. */
export function hiddenAddress(): string {
  if (process.platform === 'darwin') return '127.0.0.1'
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
}

/** Lets a server of this process listen. */
export async function listenHidden(
  server: Server & { closeAllConnections: () => void },
): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  const host = hiddenAddress()
  const port = await listenOnAnyPort(server, host)
  return {
    endpoint: `http://${host}:${port}`,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** A TCP port that is free now. It is not reserved, so the caller must handle EADDRINUSE. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnAnyPort(server, '127.0.0.1')
  server.close()
  await once(server, 'close')
  return port
}

async function listenOnAnyPort(server: Server, host: string): Promise<number> {
  await once(server.listen(0, host), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.')
  return address.port
}
