// Starts fauxqs, the emulator of SQS, in this process and behind a door.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Server } from 'node:http'
import type { FauxqsServer } from 'fauxqs'
import { ACCOUNT_ID, REGION } from '../account.ts'
import { openDoorTo } from '../door/door.ts'
import { newKey, parseEndpoint } from '../door/endpoint.ts'

export type QueueDepth = { visible: number; inFlight: number; delayed: number }

export type Sqs = {
  /** Contains the key of its door. */
  endpoint: string
  /** SDKs connect to the host in a queue's URL, so it must be this server. */
  queueUrl(name: string): string
  inspect: FauxqsServer['inspectQueue']
  /** Throws if there is no queue of this name. */
  depth(name: string): QueueDepth
  stop(): Promise<void>
}

/** Without `folder` messages stay in memory. */
export async function startSqs(folder?: string, key: string = newKey()): Promise<Sqs> {
  // A lazy import: callers that start only DynamoDB do not need it, and others load it while DynamoDB starts.
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

/** fauxqs always listens on all interfaces. This finds its server when it starts to listen and closes it. */
async function withoutPort(start: () => Promise<FauxqsServer>) {
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
