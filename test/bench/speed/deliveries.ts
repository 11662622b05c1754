// Measures deliveries: how many a second ten subscribers get, and what an event costs with 1,000 subscribers.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import { totalOf } from '../traffic.ts'
import { type Figures, type Side, secondsSince, send } from './side.ts'
import type { TextOf } from './texts.ts'
import { publishMany } from './writes.ts'

const WRITERS = 4
/** An owner may have so many. */
const PER_OWNER = 100

/** An event whose fan-out was interrupted may come again only after many minutes. */
const RECEIVED_WITHIN_S = 15 * 60

/** Counts the requests of all subscribers. */
async function openReceiver() {
  let received = 0
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      received++
      response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Returns false if fewer arrive within a quarter of an hour. */
    hasReceived: async (count: number): Promise<boolean> => {
      const startedMs = performance.now()
      while (received < count && secondsSince(startedMs) < RECEIVED_WITHIN_S) await pause(5)
      return received >= count
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

type Receiver = Awaited<ReturnType<typeof openReceiver>>

async function subscribe(side: Side, url: string, subscribers: number): Promise<void> {
  for (let n = 0; n * PER_OWNER < subscribers; n++) {
    const token = await side.host.owner(n)
    const count = Math.min(PER_OWNER, subscribers - n * PER_OWNER)
    await mapConcurrently(Array(count).keys(), WRITERS, async m => {
      const body = { name: `Subscriber ${n}-${m}`, url: `${url}${n}-${m}`, events: ['*'] }
      await send(side, 'POST', 'admin/webhooks', { token, body })
    })
  }
}

/** `warm`: how many events are delivered before, while V8 compiles what they need. */
export type DeliveryLoad = { subscribers: number; events: number; warm: number }

/** Publishes as fast as four clients can. No figures if a subscriber does not get every event in time. */
export async function measureDeliveries(side: Side, textOf: TextOf, load: DeliveryLoad): Promise<Figures> {
  const receiver = await openReceiver()
  try {
    return await deliverTo(receiver, side, textOf, load)
  } finally {
    receiver.close()
  }
}

async function deliverTo(
  receiver: Receiver,
  side: Side,
  textOf: TextOf,
  { subscribers, events, warm }: DeliveryLoad,
): Promise<Figures> {
  await subscribe(side, receiver.url, subscribers)
  await publishMany(side, textOf, warm, WRITERS)
  if (!(await receiver.hasReceived(subscribers * warm))) return {}
  await side.host.quiet({ isIndexed: false })
  await side.host.takeTraffic()
  await side.host.takeCpu()
  const startedMs = performance.now()
  await publishMany(side, textOf, events, WRITERS)
  if (!(await receiver.hasReceived(subscribers * (warm + events)))) return {}
  const seconds = secondsSince(startedMs)
  // Threads that end while nothing happens take their time with them.
  const cpu = await side.host.takeCpu()
  await side.host.quiet({ isIndexed: false })
  const traffic = await side.host.takeTraffic()
  const [fanOut, deliver] = [totalOf(traffic, 'fan-out'), totalOf(traffic, 'deliver-webhooks')]
  const deliveries = subscribers * events
  return {
    rate: deliveries / seconds,
    events: events / seconds,
    'event.read': fanOut.readUnits / events,
    'event.calls': fanOut.calls / events,
    'event.cpu': (cpu['fan-out'] || Number.NaN) / events,
    calls: deliver.calls / deliveries,
    write: deliver.writeUnits / deliveries,
    cpu: (cpu['deliver-webhooks'] ?? 0) / deliveries,
  }
}
