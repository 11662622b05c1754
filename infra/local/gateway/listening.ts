// One HTTP server on several addresses of this machine, all with the same port.
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'

/** The first address decides the port where it is 0. Throws in words when an address cannot be had. */
export async function listenOn(server: HttpServer, addresses: string[], port: number): Promise<Listening> {
  const [first = '127.0.0.1', ...others] = addresses
  await listen(server, first, port)
  const address = server.address()
  const chosen = address && typeof address === 'object' ? address.port : port
  const doors = others.map(() => createServer(socket => server.emit('connection', socket)))
  const close = async () => {
    const all: Server[] = [server, ...doors]
    await Promise.all(all.map(each => new Promise(resolve => each.close(resolve))))
  }
  try {
    for (const [n, door] of doors.entries()) await listen(door, others[n] ?? '', chosen)
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
      throw new Error(`Port ${port} of ${address} is in use: end what listens there or choose another.`)
    }
    if (code === 'EACCES') {
      throw new Error(`This user may not listen on port ${port} of ${address}: choose one above 1023.`)
    }
    if (code === 'EADDRNOTAVAIL') {
      throw new Error(`${address} is no address of this machine: choose another for --host.`)
    }
    throw error
  }
}
