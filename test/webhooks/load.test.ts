// Many deliveries at once, by the poller of the local run: none comes back, and receivers that hang delay no
// other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectPoller, startPoller } from '../../infra/local/poller.ts'
import { QUEUE_WORKERS } from '../../shared/service/workers.ts'
import { fanOut } from '../../shared/webhooks/commands/fan-out.ts'
import { openServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { use } from '../support/use.ts'
import { newEvent, subscribe } from './subscriptions.ts'
import { startWorkers } from './workers.ts'

const workers = use(startWorkers)

const SUBSCRIPTIONS = 100
const POSTS = 40
const LONG_MS = 900_000

/** The receiver of all subscriptions, by path: what came, and those that never answer. */
const received: string[] = []
const hanging = new Set<string>()
const receiver = use(() =>
  openServer((request, response) => {
    const path = (request.url ?? '').slice(1)
    request.resume().on('end', () => {
      received.push(`${path} ${request.headers['webhook-id']}`)
      if (!hanging.has(path)) response.writeHead(204).end()
    })
  }),
)

/** The subscriptions of the deliveries that have ended. */
function ended(): unknown[] {
  return workers.logged.filter(({ message }) => message === 'delivery').map(({ webhook_id }) => webhook_id)
}

const ids: number[] = []
/** How often each message came to the worker. */
const receives: number[] = []
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  const owners: number[] = []
  for (let n = 0; n < SUBSCRIPTIONS; n++) {
    // Of four owners.
    const ownerId = owners[n - 4]
    const webhook = await subscribe(workers.table, `${receiver.url}/${n}`, ownerId ? { ownerId } : {})
    owners.push(webhook.owner_id)
    ids.push(webhook.id)
  }
}, LONG_MS)
afterAll(async () => {
  for (const stop of stops) await stop()
})

/** Polls with the bounds of the worker. */
function poll(): void {
  const { batchSize = 0, maxConcurrency = 0 } = QUEUE_WORKERS['deliver-webhooks'] ?? {}
  const url = workers.queueUrl('deliveries')
  const client = connectPoller(new URL(url).origin)
  const poller = startPoller({
    client,
    name: 'deliver-webhooks',
    queue: { url, batchSize, maxConcurrency },
    invoke: async event => {
      for (const { attributes } of event.Records) receives.push(Number(attributes.ApproximateReceiveCount))
      return await workers.deliverBatch(event)
    },
    log: line => workers.logged.push({ level: 'warn', message: line }),
  })
  stops.push(async () => {
    await poller.stop()
    client.destroy()
  })
}

async function fanOutMany(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await fanOut(newEvent(), workers)
}

function allDone() {
  return until('the queue to be empty', () => workers.isQueueEmpty(), LONG_MS)
}

describe('many outstanding deliveries', { timeout: LONG_MS }, () => {
  it(`of ${POSTS} events to ${SUBSCRIPTIONS} subscriptions end, and neither one nor its message comes twice`, async () => {
    await fanOutMany(POSTS)
    const startedMs = performance.now()
    poll()
    await until('all deliveries', () => ended().length >= SUBSCRIPTIONS * POSTS, LONG_MS)
    console.info(
      `${received.length} deliveries took ${((performance.now() - startedMs) / 1000).toFixed(1)} s`,
    )
    await allDone()
    expect(ended()).toHaveLength(SUBSCRIPTIONS * POSTS)
    expect([received.length, new Set(received).size]).toEqual([SUBSCRIPTIONS * POSTS, SUBSCRIPTIONS * POSTS])
    expect(receives.filter(count => count !== 1)).toEqual([])
    expect(workers.logged.filter(({ message }) => !['delivery', 'run'].includes(message))).toEqual([])
  })

  it('are delayed by less than a half if one receiver in ten hangs', async () => {
    const slow = Array.from({ length: SUBSCRIPTIONS / 10 }, (_, n) => String(10 * n + 5))
    const quick = new Set<unknown>(ids.filter((_, n) => !slow.includes(String(n))))
    /** The time until all others have the events. */
    const timeOthers = async (events: number): Promise<number> => {
      await allDone()
      workers.logged.splice(0)
      const startedMs = performance.now()
      await fanOutMany(events)
      const expected = events * quick.size
      await until('the others', () => ended().filter(id => quick.has(id)).length >= expected, LONG_MS)
      return performance.now() - startedMs
    }
    const [usual, during]: [number[], number[]] = [[], []]
    for (let round = 0; round < 2; round++) {
      hanging.clear()
      usual.push(await timeOthers(POSTS / 4))
      for (const path of slow) hanging.add(path)
      during.push(await timeOthers(POSTS / 4))
    }
    console.info(`${usual.map(Math.round)} ms usually, ${during.map(Math.round)} ms with receivers that hang`)
    expect(Math.min(...during) / Math.min(...usual)).toBeLessThan(1.5)
    await allDone()
  })
})
