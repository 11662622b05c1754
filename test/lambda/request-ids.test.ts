// The id of a request in the log lines of every worker that its event reaches, so that one search finds all.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { EVENTS } from '../../shared/events/catalogue.ts'
import { reply } from '../../shared/http/reply.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { type Runtime, setRuntime } from '../../shared/runtime/runtime.ts'
import { deliveryKey } from '../../shared/table/design.ts'
import { openChain } from '../support/chain.ts'
import { batchOf, consumeAll } from '../support/queue.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { use } from '../support/use.ts'
import { subscribe } from '../webhooks/subscriptions.ts'
import { startWorkers } from '../webhooks/workers.ts'

const { handler: fanOut } = await import('../../functions/fan-out.ts')
const { handler: deliverWebhooks } = await import('../../functions/deliver-webhooks.ts')

const chain = use(openChain)
const workers = use(startWorkers)
let runtime: Runtime
let deliveriesUrl = ''
beforeAll(() => {
  deliveriesUrl = workers.queueUrl('deliveries')
  const urls = { EVENTS_QUEUE_URL: workers.queueUrl('events'), DELIVERIES_QUEUE_URL: deliveriesUrl }
  runtime = { ...workers, environment: { ...workers.environment, ...urls } }
})
beforeEach(() => {
  setRuntime(runtime)
  workers.logged.splice(0)
})

/** The event of a request, as the function of the API sends it to the events queue. */
async function eventOf(headers: Record<string, string>): Promise<unknown> {
  // The subscription is older than the event, so the event is delivered.
  chain.clock.nowMs = Date.now()
  const { token } = await chain.user(['user', 'admin'])
  const call = chain.open(
    { createPost: adminPosts.createPost },
    {
      createPost: async ({ work }) => {
        const data = EVENTS['post.published'].sample
        await work.commit({ actions: [], events: [{ event: 'post.published', data }] })
        return reply({} as never)
      },
    },
  )
  await call(adminPosts.createPost, { token, body: { title: 'A' }, headers })
  const [message] = chain.sent.splice(0)
  expect(message?.queue).toBe('events')
  return message?.body
}

function linesOf(message: string) {
  return workers.logged.splice(0).filter(line => line.message === message)
}

const ID = { request_id: 'build-9' }

describe('the id of a request', () => {
  it('is in the log line of the delivery and in its record', async () => {
    const subscriber = await openSubscriber()
    const webhook = await subscribe(workers.table, subscriber.url)
    const event = await eventOf({ 'X-Request-Id': 'build-9' })
    await fanOut(batchOf(event))
    expect(await consumeAll(workers.sqs, deliveriesUrl, deliverWebhooks)).toEqual({ done: 1, failed: 0 })
    const [line, ...others] = linesOf('delivery')
    expect(others).toEqual([])
    expect(line).toMatchObject({ ...ID, webhook_id: webhook.id, status: 'succeeded' })
    const { id } = z.object({ id: z.string() }).parse(event)
    const kept = await workers.table.find(deliveryKey(webhook.id, id), z.looseObject({}))
    expect(kept).toMatchObject(ID)
    expect(subscriber.received[0]?.headers).toMatchObject({ 'x-request-id': 'build-9' })
  })

  it('is in the log line of each worker that fails for the event', async () => {
    await subscribe(workers.table, 'http://127.0.0.1:1/')
    const event = await eventOf({ 'X-Request-Id': 'build-9' })
    setRuntime({ ...runtime, sender: { send: async messages => messages.map(() => ({ ok: false })) } })
    expect((await fanOut(batchOf(event))).batchItemFailures).toHaveLength(1)
    expect(linesOf('a message failed')).toMatchObject([{ ...ID, queue: 'events' }])

    // The schema of the message does not accept this webhook id.
    setRuntime(runtime)
    const unreadable = { webhook_id: 'none', owner_id: 1, event }
    expect((await deliverWebhooks(batchOf(unreadable))).batchItemFailures).toHaveLength(1)
    expect(linesOf('a message failed')).toMatchObject([{ ...ID, queue: 'deliveries' }])
  })
})
