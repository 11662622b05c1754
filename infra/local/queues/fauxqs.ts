// SQS inside this process: fauxqs, for this machine only, with its queues in a folder or in memory.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { FauxqsServer } from 'fauxqs'
import { accountId, region } from '../account.ts'

export type QueueDepth = { visible: number; inFlight: number; delayed: number }

export type Sqs = {
  endpoint: string
  /** SDKs send to the host of a queue's URL, so it must name this server and not a made-up domain. */
  queueUrl(name: string): string
  inspect: FauxqsServer['inspectQueue']
  /** Throws when there is no queue of this name. */
  depth(name: string): QueueDepth
  stop(): Promise<void>
}

/** `folder` undefined: kept in memory. */
export async function startSqs(folder?: string): Promise<Sqs> {
  // Loaded here, for those who start DynamoDB alone, and while it is starting for those who start both.
  const { startFauxqs } = await import('fauxqs')
  const server = await startFauxqs({
    port: 0,
    logger: false,
    defaultRegion: region,
    ...(folder && { dataDir: folder }),
  })
  const openDoor = closeToOtherMachines(server.port)
  const endpoint = `http://127.0.0.1:${server.port}`
  return {
    endpoint,
    queueUrl: name => `${endpoint}/${accountId}/${name}`,
    inspect: name => server.inspectQueue(name),
    depth(name) {
      const attributes = server.inspectQueue(name)?.attributes
      if (!attributes) throw new Error(`There is no queue ${name}.`)
      return {
        visible: Number(attributes.ApproximateNumberOfMessages),
        inFlight: Number(attributes.ApproximateNumberOfMessagesNotVisible),
        delayed: Number(attributes.ApproximateNumberOfMessagesDelayed),
      }
    },
    async stop() {
      await server.stop()
      openDoor()
    },
  }
}

/** fauxqs listens on all interfaces and has no setting for it. */
function closeToOtherMachines(port: number): () => void {
  const check = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    if (socket.localPort === port && !isLoopback(socket.remoteAddress)) socket.destroy()
  }
  subscribe('net.server.socket', check)
  return () => unsubscribe('net.server.socket', check)
}

function isLoopback(address = ''): boolean {
  return address === '::1' || address.replace(/^::ffff:/, '').startsWith('127.')
}
