// The behaviour of Lambda's pollers of SQS, with the real emulator and a function of the test.
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { connectPoller, type PollerOptions, startPoller } from '../../infra/local/poller.ts'
import type { QueueEvent, QueueRecord } from '../../shared/lambda/consume.ts'
import { startSqs } from '../support/sqs.ts'
import { use } from '../support/use.ts'
import { eventually } from './eventually.ts'

const EMPTY = { visible: 0, inFlight: 0, delayed: 0 }

const emulator = use(startSqs)
let queues = 0

type Handler = (event: QueueEvent) => unknown
type Sizes = Partial<PollerOptions['queue']>

/** Polls until the test ends. */
function startUntilEnd(url: string, handler: Handler, { batchSize = 10, maxConcurrency = 5 }: Sizes = {}) {
  const lines: string[] = []
  const { stop } = startPoller({
    client: connectPoller(emulator.endpoint),
    name: 'worker',
    queue: { url, batchSize, maxConcurrency },
    invoke: async event => handler(event),
    log: (line, level) => void lines.push(`${level} ${line}`),
  })
  onTestFinished(stop)
  return { lines, stop }
}

/** A queue whose failed messages come back after a second. */
async function newQueue() {
  const client = new SQSClient(clientSettings(emulator.endpoint))
  const name = `Queue${++queues}`
  await client.send(new CreateQueueCommand({ QueueName: name, Attributes: { VisibilityTimeout: '1' } }))
  const url = emulator.queueUrl(name)
  const send = async (...bodies: string[]) => {
    const sent = []
    for (const MessageBody of bodies) {
      sent.push(await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody })))
    }
    return sent.map(({ MessageId }) => MessageId)
  }
  const poll = (handler: Handler, sizes?: Sizes) => startUntilEnd(url, handler, sizes)
  return { send, poll, depth: () => emulator.depth(name) }
}

/** Records the body of each message, and reports those as failed for which `fails` is true. */
function recorder(fails: (record: QueueRecord) => boolean) {
  const received: string[] = []
  const handler = ({ Records }: QueueEvent) => {
    received.push(...Records.map(({ body }) => body))
    return {
      batchItemFailures: Records.filter(fails).map(({ messageId }) => ({ itemIdentifier: messageId })),
    }
  }
  return { received, handler }
}

function attempt({ attributes }: QueueRecord) {
  return Number(attributes.ApproximateReceiveCount)
}

describe('a message', () => {
  it('arrives with what workers read of it, and disappears when its function succeeds', async () => {
    const queue = await newQueue()
    const events: QueueEvent[] = []
    queue.poll(event => void events.push(event))
    const [id] = await queue.send('hello')
    await eventually(() => expect(events).toHaveLength(1))
    expect(events[0]?.Records).toEqual([
      {
        messageId: id,
        receiptHandle: expect.any(String),
        body: 'hello',
        attributes: { ApproximateReceiveCount: '1' },
      },
    ])
    await eventually(() => expect(queue.depth()).toEqual(EMPTY))
  })

  it('comes back alone if the function reports it as failed', async () => {
    const queue = await newQueue()
    await queue.send('a', 'b', 'c')
    const { received, handler } = recorder(record => record.body === 'b' && attempt(record) === 1)
    queue.poll(handler)
    await eventually(() => expect(received).toEqual(['a', 'b', 'c', 'b']))
    await eventually(() => expect(queue.depth()).toEqual(EMPTY))
  })
})

describe('a batch', () => {
  it.each<[string, () => unknown, string]>([
    ['the function throws, which is logged', () => Promise.reject(new Error('broken')), 'broken'],
    ['the answer is no report', () => 'done', ''],
  ])('comes back completely if %s', async (_, fail, logged) => {
    const queue = await newQueue()
    await queue.send('a', 'b')
    const received: string[] = []
    const { lines } = queue.poll(({ Records }) => {
      received.push(...Records.map(({ body }) => body))
      return received.length === 2 ? fail() : undefined
    })
    await eventually(() => expect(received.toSorted()).toEqual(['a', 'a', 'b', 'b']))
    expect(lines.join()).toContain(logged)
    await eventually(() => expect(queue.depth()).toEqual(EMPTY))
  })
})

describe('a poller', () => {
  it('runs at most as many invocations at the same time as its queue allows', async () => {
    const queue = await newQueue()
    const gate = Promise.withResolvers<void>()
    let running = 0
    const counts: number[] = []
    await queue.send('a', 'b', 'c', 'd', 'e')
    const handler = async () => {
      counts.push(++running)
      await gate.promise
      running--
    }
    queue.poll(handler, { batchSize: 1, maxConcurrency: 2 })
    await eventually(() => expect(running).toBe(2))
    expect(queue.depth().visible).toBe(3)
    gate.resolve()
    await eventually(() => expect(queue.depth()).toEqual(EMPTY))
    expect(Math.max(...counts)).toBe(2)
  })

  it('waits for running invocations when it stops, and receives no more messages', async () => {
    const queue = await newQueue()
    const started = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const poller = queue.poll(() => {
      started.resolve()
      return gate.promise
    })
    await queue.send('a')
    await started.promise
    const stopping = poller.stop()
    await queue.send('later')
    gate.resolve()
    await stopping
    expect(queue.depth()).toEqual({ ...EMPTY, visible: 1 })
  })

  it('logs that it cannot receive, and stops all the same', async () => {
    const { lines, stop } = startUntilEnd(emulator.queueUrl('Missing'), () => undefined)
    await eventually(() => expect(lines[0]).toMatch(/^warn Cannot receive from .*Missing: /))
    await stop()
  })
})
