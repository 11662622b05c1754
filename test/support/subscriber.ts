// A receiver of webhooks: an HTTP server that records its deliveries and answers as the test wants.
import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { deliveryFault } from './check-answer.ts'
import { openServer } from './server.ts'
import { until } from './until.ts'
import type { World } from './world.ts'

const Envelope = z.strictObject({
  event: z.string(),
  occurred_at: z.string(),
  data: z.record(z.string(), z.unknown()),
})

export type ReceivedDelivery = {
  headers: IncomingHttpHeaders
  /** Exactly the received bytes. */
  body: string
  atMs: number
} & z.infer<typeof Envelope>

/** Stops after its test, which fails if a delivery contradicts the document. `hangs`: it never answers. */
export async function openSubscriber({ status = 200, hangs = false } = {}) {
  const received: ReceivedDelivery[] = []
  const faults: string[] = []
  let ended = 0
  const { port, stop } = await openServer(async (request, response) => {
    response.on('close', () => ended++)
    const body = await text(request)
    const envelope = Envelope.parse(JSON.parse(body))
    received.push({ headers: request.headers, body, atMs: Date.now(), ...envelope })
    const fault = deliveryFault(envelope.event, request.headers, envelope)
    if (fault) faults.push(fault)
    if (!hangs) response.writeHead(status).end()
  })
  onTestFinished(async () => {
    await stop()
    if (faults.length > 0) throw new Error(faults.join('\n'))
  })
  const named = (event: string) => received.filter(delivery => delivery.event === event)
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    named,
    events: () => received.map(({ event }) => event),
    /** How many requests were answered or given up. */
    ended: () => ended,
    /** Waits for that many deliveries. */
    waitFor: (count: number, timeoutMs?: number) =>
      until(`${count} deliveries`, () => received.length >= count && received, timeoutMs),
  }
}

export type Subscriber = Awaited<ReturnType<typeof openSubscriber>>

/** Returns the events about a record, including late ones: waits for an event about a newer record. */
export async function listenTo(world: World, events: string[], createNewer: () => Promise<{ id: number }>) {
  const { url, received } = await openSubscriber()
  await world.create.webhook(url, { events })
  const about = (id: number) => received.filter(({ data }) => data.id === id)
  return async (id: number, count: number) => {
    await until(`${count} events about ${id}`, () => about(id).length >= count)
    const newer = await createNewer()
    await until('the last event', () => about(newer.id).length > 0)
    return about(id)
  }
}
