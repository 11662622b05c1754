// SQS inside this process: fauxqs behind a door, with its queues in a folder or in memory.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Server } from 'node:http'
import type { FauxqsServer } from 'fauxqs'
import { ACCOUNT_ID, REGION } from '../account.ts'
import { openDoorTo } from '../door/door.ts'
import { newKey, parseEndpoint } from '../door/endpoint.ts'

export type QueueDepth = { visible: number; inFlight: number; delayed: number }

export type Sqs = {
  /** With the key to its door. */
  endpoint: string
  /** SDKs send to the host of a queue's URL, so it must name this server and not a made-up domain. */
  queueUrl(name: string): string
  inspect: FauxqsServer['inspectQueue']
  /** Throws when there is no queue of this name. */
  depth(name: string): QueueDepth
  stop(): Promise<void>
}

/** `folder` undefined: kept in memory. */
export async function startSqs(folder?: string, key: string = newKey()): Promise<Sqs> {
  // Loaded here, for those who start DynamoDB alone, and while it is starting for those who start both.
  const { startFauxqs } = await import('fauxqs')
  const options = { port: 0, logger: false, defaultRegion: REGION, ...(folder && { dataDir: folder }) }
  const { fauxqs, server } = await withoutPort(() => startFauxqs(options))
  const door = await openDoorTo(server, key)
  const { url } = parseEndpoint(door.endpoint)
  return {
    endpoint: door.endpoint,
    queueUrl: name => `${url}/${ACCOUNT_ID}/${name}`,
    inspect: name => fauxqs.inspectQueue(name),
    depth(name) {
      const attributes = fauxqs.inspectQueue(name)?.attributes
      if (!attributes) throw new Error(`There is no queue ${name}.`)
      return {
        visible: Number(attributes.ApproximateNumberOfMessages),
        inFlight: Number(attributes.ApproximateNumberOfMessagesNotVisible),
        delayed: Number(attributes.ApproximateNumberOfMessagesDelayed),
      }
    },
    async stop() {
      await door.stop()
      await fauxqs.stop()
    },
  }
}

const LISTENING = 'tracing:net.server.listen:asyncStart'

/** fauxqs listens on all interfaces and has no setting for it: its server is found as it does, and its port closed. */
async function withoutPort(start: () => Promise<FauxqsServer>) {
  const servers = new Set<Server>()
  const find = (message: unknown) => {
    const { server } = message as { server: unknown }
    if (server instanceof Server) servers.add(server)
  }
  subscribe(LISTENING, find)
  const fauxqs = await start().finally(() => unsubscribe(LISTENING, find))
  const server = [...servers].find(each => {
    const address = each.address()
    return address !== null && typeof address === 'object' && address.port === fauxqs.port
  })
  if (!server) throw new Error('fauxqs listens on a port of its own, and its server was not found.')
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
  return { fauxqs, server }
}
