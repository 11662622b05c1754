// The behaviour of Lambda's pollers, with the real queue emulator.
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { poll, startQueues } from './queue-world.ts'

const work = 'WorkQueue0A1B2C3D'
const deadLetters = 'WorkDeadLetters4E5F6A7B'
const empty = { visible: 0, inFlight: 0, delayed: 0 }
function bodies({ Records }: SQSEvent) {
  return Records.map(({ body }) => body)
}

/** Records the body of each message and reports those as failed for which `fails` is true. */
function recorder(fails: (record: SQSRecord) => boolean = () => false) {
  const seen: string[] = []
  const handler = ({ Records }: SQSEvent) => {
    seen.push(...Records.map(({ body }) => body))
    const failed = Records.filter(fails).map(({ messageId }) => ({ itemIdentifier: messageId }))
    return { batchItemFailures: failed }
  }
  return { seen, handler }
}

function attempt({ attributes }: SQSRecord) {
  return Number(attributes.ApproximateReceiveCount)
}

describe('a message', () => {
  it('arrives in the format of Lambda, and disappears when its function succeeds', async () => {
    const queues = await startQueues()
    const events: SQSEvent[] = []
    poll(queues, work, event => void events.push(event))
    const MessageAttributes = { kind: { DataType: 'String', StringValue: 'letter' } }
    const { MessageId } = await queues.send(work, 'hello', { MessageAttributes })
    await eventually(() => expect(events).toHaveLength(1))
    expect(events[0]?.Records).toEqual([
      expect.objectContaining({
        messageId: MessageId,
        receiptHandle: expect.any(String),
        body: 'hello',
        attributes: expect.objectContaining({
          ApproximateReceiveCount: '1',
          SentTimestamp: expect.any(String),
        }),
        messageAttributes: { kind: expect.objectContaining({ stringValue: 'letter', dataType: 'String' }) },
        eventSource: 'aws:sqs',
        eventSourceARN: queues.arn(work),
        awsRegion: 'us-east-1',
      }),
    ])
    await eventually(() => expect(queues.depth(work)).toEqual(empty))
  })

  it('comes back alone if the function reports it as failed', async () => {
    const queues = await startQueues()
    for (const body of ['a', 'b', 'c']) await queues.send(work, body)
    const { seen, handler } = recorder(record => record.body === 'b' && attempt(record) === 1)
    poll(queues, work, handler)
    await eventually(() => expect(seen).toEqual(['a', 'b', 'c', 'b']))
    await eventually(() => expect(queues.depth(work)).toEqual(empty))
  })

  it('moves to the dead-letter queue after the maximum number of receives', async () => {
    const queues = await startQueues()
    const { seen, handler } = recorder(() => true)
    poll(queues, work, handler)
    await queues.send(work, 'poison')
    await eventually(() => expect(queues.depth(deadLetters)).toEqual({ ...empty, visible: 1 }))
    expect(seen).toEqual(['poison', 'poison'])
    expect(queues.depth(work)).toEqual(empty)
  })
})

describe('a batch', () => {
  it.each<[string, (event: SQSEvent) => unknown]>([
    ['the function throws', () => Promise.reject(new Error('broken'))],
    ['the report contains an unknown message', () => ({ batchItemFailures: [{ itemIdentifier: 'x' }] })],
    ['the report is malformed', () => ({ batchItemFailures: [{ id: 'a' }] })],
  ])('comes back completely if %s', async (_, fail) => {
    const queues = await startQueues()
    for (const body of ['a', 'b']) await queues.send(work, body)
    const seen: string[][] = []
    poll(queues, work, event => {
      seen.push(bodies(event))
      return seen.length === 1 ? fail(event) : undefined
    })
    await eventually(() => expect(seen.flat().sort()).toEqual(['a', 'a', 'b', 'b']))
    await eventually(() => expect(queues.depth(work)).toEqual(empty))
  })

  it('disappears despite a report of failures if the mapping does not use reports', async () => {
    const queues = await startQueues()
    const { seen, handler } = recorder(() => true)
    poll(queues, work, handler, { reportsFailures: false })
    await queues.send(work, 'a')
    await eventually(() => expect(seen).toEqual(['a']))
    await eventually(() => expect(queues.depth(work)).toEqual(empty))
  })
})

describe('a poller', () => {
  it('runs at most as many concurrent invocations as the mapping allows', async () => {
    const queues = await startQueues()
    const gate = Promise.withResolvers<void>()
    let running = 0
    const seen: number[] = []
    const handler = async () => {
      seen.push(++running)
      await gate.promise
      running--
    }
    for (const body of ['a', 'b', 'c', 'd', 'e']) await queues.send(work, body)
    poll(queues, work, handler, { batchSize: 1, maximumConcurrency: 2 })
    await eventually(() => expect(running).toBe(2))
    expect(queues.depth(work)).toMatchObject({ visible: 3, inFlight: 2 })
    gate.resolve()
    await eventually(() => expect(queues.depth(work)).toEqual(empty))
    expect(Math.max(...seen)).toBe(2)
    expect(seen).toHaveLength(5)
  })

  it('waits for running invocations when it stops, and receives no more messages', async () => {
    const queues = await startQueues()
    const gate = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const poller = poll(queues, work, () => {
      started.resolve()
      return gate.promise
    })
    await queues.send(work, 'a')
    await started.promise
    const stopping = poller.stop()
    await queues.send(work, 'later')
    expect(queues.depth(work)).toMatchObject({ visible: 1, inFlight: 1 })
    gate.resolve()
    await stopping
    expect(queues.depth(work)).toMatchObject({ visible: 1, inFlight: 0 })
  })
})
