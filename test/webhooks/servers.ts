// Subscribers for tests: real servers on free ports, which count connections and stop with their test; and a
// delivery to one, by default with a deadline that no machine is too slow for.
import { promises } from 'node:dns'
import { once } from 'node:events'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished, vi } from 'vitest'
import { sendOnce } from '../../shared/webhooks/commands/request.ts'
import type { DeliveryOutcome } from '../../shared/webhooks/delivery.ts'
import type { FailureCode } from '../../shared/webhooks/failure.ts'
import type { WebhookRequest } from '../../shared/webhooks/signed-request.ts'
import { selfSigned } from '../fixtures/self-signed.ts'

export type Subscriber = { port: number; connections: () => number }

export function httpSubscriber(answer: RequestListener, host?: string): Promise<Subscriber> {
  return listen(createHttp(answer), host)
}

export function httpsSubscriber(answer: RequestListener, certificate = selfSigned): Promise<Subscriber> {
  return listen(createHttps(certificate, answer))
}

/** Handles the bare connection by itself. */
export function rawSubscriber(onConnection: (socket: Socket) => void): Promise<Subscriber> {
  return listen(createServer(onConnection))
}

/** A port without a listener. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  await new Promise(resolve => server.close(resolve))
  return port
}

async function listen(server: Server, host = '127.0.0.1'): Promise<Subscriber> {
  const sockets = new Set<Socket>()
  server.on('connection', socket => {
    sockets.add(socket)
    socket.on('error', () => {}) // a delivery closes the connection, often within an answer
  })
  server.on('tlsClientError', () => {})
  // The port is free for IPv4 as well: `localhost` must not reach another server.
  server.listen(host === '::1' ? await closedPort() : 0, host)
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise(resolve => server.close(resolve))
  })
  return { port: portOf(server), connections: () => sockets.size }
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return (address satisfies AddressInfo).port
}

const LONG_MS = 60_000

/** The deadline for subscribers that never answer. */
export const SHORT_MS = 200

type Changes = Partial<WebhookRequest> & { nameServers?: string[] }

/** `nameServers`: instead of those of the machine, for this delivery. */
export function deliver(url: string, { nameServers, ...changes }: Changes = {}): Promise<DeliveryOutcome> {
  const { Resolver } = promises
  const spy = vi.spyOn(promises, 'Resolver').mockImplementation(
    class extends Resolver {
      constructor(...options: ConstructorParameters<typeof Resolver>) {
        super(...options)
        if (nameServers) this.setServers(nameServers)
      }
    },
  )
  const outcome = sendOnce({
    url,
    headers: { 'Content-Type': 'application/json', Signature: 'abc' },
    body: '{"event":"test.ping"}',
    policy: { allowLoopback: true, allowedHosts: [] },
    timeoutMs: LONG_MS,
    ...changes,
  })
  spy.mockRestore()
  return outcome
}

export function deliverTo(port: number, changes: Changes = {}): Promise<DeliveryOutcome> {
  return deliver(`http://127.0.0.1:${port}/hook?from=cms#part`, changes)
}

export function succeeded(response_status = 200) {
  return { status: 'succeeded', response_status, error: null }
}

export function failed(error: FailureCode, response_status: number | null = null) {
  return { status: 'failed', response_status, error }
}
