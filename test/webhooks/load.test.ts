// Many deliveries at once, by the poller of the local run: none comes back.
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectPoller, startPoller } from '../../infra/local/poller.ts'
import { QUEUE_WORKERS } from '../../shared/service/workers.ts'
import { fanOut } from '../../shared/webhooks/commands/deliver.ts'
import { until } from '../support/until.ts'
import { use } from '../support/use.ts'
import { openRecorder } from './recording.ts'
import { newEvent, subscribe } from './subscriptions.ts'
import { startWorkers } from './workers.ts'

const workers = use(startWorkers)

const SUBSCRIPTIONS = 100
const POSTS = 40
const LONG_MS = 900_000

function ended() {
  return workers.logged.filter(({ message }) => message === 'delivery')
}

/** Polls with the bounds of the worker, until the test ends. Returns how often each message came. */
function poll(): number[] {
  const receives: number[] = []
  const { batchSize, maxConcurrency } = QUEUE_WORKERS['deliver-webhooks']
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
  onTestFinished(async () => {
    await poller.stop()
    client.destroy()
  })
  return receives
}

describe('many outstanding deliveries', { timeout: LONG_MS }, () => {
  it(`of ${POSTS} events to ${SUBSCRIPTIONS} subscriptions end, and neither one nor its message comes twice`, async () => {
    const { recorded, url } = await openRecorder()
    const owners: number[] = []
    for (let n = 0; n < SUBSCRIPTIONS; n++) {
      // Four owners in turn.
      const ownerId = owners[n - 4]
      const webhook = await subscribe(workers.table, url(`hook-${n}`), ownerId ? { ownerId } : {})
      owners.push(webhook.owner_id)
    }
    for (let n = 0; n < POSTS; n++) await fanOut(newEvent(), workers)
    const startedMs = performance.now()
    const receives = poll()
    await until('all deliveries', () => ended().length >= SUBSCRIPTIONS * POSTS, LONG_MS)
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    console.info(`${recorded.length} deliveries took ${seconds} s`)
    await until('the queue to be empty', () => workers.isQueueEmpty(), LONG_MS)
    expect(ended()).toHaveLength(SUBSCRIPTIONS * POSTS)
    const received = recorded.map(({ path, headers }) => `${path} ${headers['webhook-id']}`)
    expect(new Set(received).size).toBe(received.length)
    // On a busy machine some may end by their deadline of five seconds before they come to the receiver.
    const succeeded = ended().filter(({ status }) => status === 'succeeded')
    expect(received.length).toBeGreaterThanOrEqual(succeeded.length)
    expect(receives.filter(count => count !== 1)).toEqual([])
    expect(workers.logged.filter(({ message }) => !['delivery', 'run'].includes(message))).toEqual([])
  })
})
