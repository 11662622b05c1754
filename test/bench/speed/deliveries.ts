// Measures deliveries: how many a second ten subscribers get, and what an event costs with 1,000 subscribers.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import { totalOf } from '../traffic.ts'
import { type Figures, publish, type Side, secondsSince, send } from './side.ts'
import type { TextOf } from './texts.ts'

const WRITERS = 4
/** An owner may have so many. */
const PER_OWNER = 100
/** The share of the events that is published before, to start the workers. */
const WARM = 0.1

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
    until: async (count: number) => {
      while (received < count) await pause(5)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

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

export type DeliveryLoad = { subscribers: number; events: number }

/** Publishes as fast as four clients can, and waits until every subscriber has every event. */
export async function measureDeliveries(side: Side, textOf: TextOf, { subscribers, events }: DeliveryLoad) {
  const receiver = await openReceiver()
  await subscribe(side, receiver.url, subscribers)
  const warm = Math.ceil(events * WARM)
  for (let n = 0; n < warm; n++) await publish(side, textOf())
  await receiver.until(subscribers * warm)
  await side.host.quiet({ isIndexed: false })
  await side.host.takeTraffic()
  await side.host.takeCpu()
  const startedMs = performance.now()
  await mapConcurrently(Array(events).keys(), WRITERS, async () => {
    await publish(side, textOf())
  })
  await receiver.until(subscribers * (warm + events))
  const seconds = secondsSince(startedMs)
  await side.host.quiet({ isIndexed: false })
  const [traffic, cpu] = [await side.host.takeTraffic(), await side.host.takeCpu()]
  receiver.close()
  const [fanOut, deliver] = [totalOf(traffic, 'fan-out'), totalOf(traffic, 'deliver-webhooks')]
  const deliveries = subscribers * events
  const figures: Figures = {
    rate: deliveries / seconds,
    events: events / seconds,
    'event.read': fanOut.readUnits / events,
    'event.calls': fanOut.calls / events,
    'event.cpu': (cpu['fan-out'] ?? 0) / events,
    calls: deliver.calls / deliveries,
    write: deliver.writeUnits / deliveries,
    cpu: (cpu['deliver-webhooks'] ?? 0) / deliveries,
  }
  return figures
}
