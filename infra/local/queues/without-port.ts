// Takes the port from fauxqs, so that its server answers only connections that come through the door.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Server } from 'node:http'
import type { FauxqsServer } from 'fauxqs'

const LISTENING = 'tracing:net.server.listen:asyncStart'

/** fauxqs always listens on all interfaces. This finds its server when it starts to listen and closes it. */
export async function withoutPort(start: () => Promise<FauxqsServer>) {
  const servers = new Set<Server>()
  const find = (message: unknown) => {
    const { server } = message as { server: unknown }
    if (server instanceof Server) servers.add(server)
  }
  subscribe(LISTENING, find)
  const fauxqs = await start().finally(() => unsubscribe(LISTENING, find))
  const server = [...servers].find(candidate => {
    const address = candidate.address()
    return address !== null && typeof address === 'object' && address.port === fauxqs.port
  })
  if (!server) throw new Error('Cannot find the HTTP server of fauxqs, to close its port.')
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
  return { fauxqs, server }
}
