// Makes one HTTP server listen on several addresses of this machine with the same port.
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'

/** Port 0 means any port that is free on the first address. The error for an unusable address has advice. */
export async function listenOn(server: HttpServer, addresses: string[], port: number): Promise<Listening> {
  const [first = '127.0.0.1', ...others] = addresses
  await listen(server, first, port)
  const address = server.address()
  const chosen = address && typeof address === 'object' ? address.port : port
  const servers = others.map(() => createServer(socket => server.emit('connection', socket)))
  const close = async () => {
    const all: Server[] = [server, ...servers]
    await Promise.all(all.map(server => new Promise(resolve => server.close(resolve))))
  }
  try {
    for (const [n, server] of servers.entries()) await listen(server, others[n] ?? '', chosen)
  } catch (error) {
    await close()
    throw error
  }
  return { port: chosen, close }
}

export type Listening = { port: number; close(): Promise<void> }

async function listen(server: Server, address: string, port: number): Promise<void> {
  try {
    await once(server.listen(port, address), 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') {
      throw new Error(
        `Port ${port} of ${address} is in use. Stop the other program, or choose another port: --port N.`,
      )
    }
    if (code === 'EACCES') {
      throw new Error(
        `This user may not listen on port ${port} of ${address}. Choose a port above 1023: --port N.`,
      )
    }
    if (code === 'EADDRNOTAVAIL') {
      throw new Error(`${address} is not an address of this machine. Choose another one for --host.`)
    }
    throw error
  }
}
