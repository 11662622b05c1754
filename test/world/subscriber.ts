// A receiver of webhooks: a real HTTP server that remembers what it was sent, and answers as it is told.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { deliveryFault } from './check-delivery.ts'
import { until } from './until.ts'

const Envelope = z.strictObject({
  event: z.string(),
  occurred_at: z.string(),
  data: z.record(z.string(), z.unknown()),
})

export type Received = {
  headers: IncomingHttpHeaders
  /** Exactly the bytes that came. */
  body: string
  atMs: number
} & z.infer<typeof Envelope>

type Behaviour = { status?: number; hangs?: boolean; afterMs?: number }

/** Ends with its test, which fails when a delivery was not as the document says. `hangs`: takes the request and never answers. */
export async function openSubscriber({ status = 200, hangs = false }: Behaviour = {}) {
  const received: Received[] = []
  const faults: string[] = []
  let ended = 0
  const server = createServer(async (request, response) => {
    response.on('close', () => ended++)
    const body = await text(request)
    const envelope = Envelope.parse(JSON.parse(body))
    received.push({ headers: request.headers, body, atMs: Date.now(), ...envelope })
    const fault = deliveryFault(envelope.event, request.headers, envelope)
    if (fault) faults.push(fault)
    if (!hangs) response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  onTestFinished(async () => {
    await close()
    if (faults.length > 0) throw new Error(faults.join('\n'))
  })
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  const named = (event: string) => received.filter(delivery => delivery.event === event)
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    named,
    events: () => received.map(({ event }) => event),
    /** How many were answered or given up. */
    ended: () => ended,
    /** Waits until that many deliveries came. */
    waitFor: (count: number, timeoutMs?: number) =>
      until(
        `${count} deliveries, ${received.length} came`,
        () => received.length >= count && received,
        timeoutMs,
      ),
  }
}

export type Subscriber = Awaited<ReturnType<typeof openSubscriber>>
