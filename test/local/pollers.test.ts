// The behaviour of Lambda's pollers, with the real queue emulator.
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { poll, startQueues } from './queue-world.ts'

const WORK = 'WorkQueue0A1B2C3D'
const DEAD_LETTERS = 'WorkDeadLetters4E5F6A7B'
const EMPTY = { visible: 0, inFlight: 0, delayed: 0 }
function bodies({ Records }: SQSEvent) {
  return Records.map(({ body }) => body)
}

/** Records the body of each message and reports those as failed for which `fails` is true. */
function recorder(fails: (record: SQSRecord) => boolean = () => false) {
  const received: string[] = []
  const handler = ({ Records }: SQSEvent) => {
    received.push(...Records.map(({ body }) => body))
    const failed = Records.filter(fails).map(({ messageId }) => ({ itemIdentifier: messageId }))
    return { batchItemFailures: failed }
  }
  return { received, handler }
}

function attempt({ attributes }: SQSRecord) {
  return Number(attributes.ApproximateReceiveCount)
}

// These wait for messages that come back after the visibility timeout.
describe.concurrent('a message', () => {
  it('arrives in the format of Lambda, and disappears when its function succeeds', async test => {
    const queues = await startQueues({ test })
    const events: SQSEvent[] = []
    poll(queues, WORK, event => void events.push(event))
    const MessageAttributes = { kind: { DataType: 'String', StringValue: 'letter' } }
    const { MessageId } = await queues.send(WORK, 'hello', { MessageAttributes })
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
        eventSourceARN: queues.arn(WORK),
        awsRegion: 'us-east-1',
      }),
    ])
    await eventually(() => expect(queues.depth(WORK)).toEqual(EMPTY))
  })

  it('comes back alone if the function reports it as failed', async test => {
    const queues = await startQueues({ test })
    for (const body of ['a', 'b', 'c']) await queues.send(WORK, body)
    const { received, handler } = recorder(record => record.body === 'b' && attempt(record) === 1)
    poll(queues, WORK, handler)
    await eventually(() => expect(received).toEqual(['a', 'b', 'c', 'b']))
    await eventually(() => expect(queues.depth(WORK)).toEqual(EMPTY))
  })

  it('moves to the dead-letter queue after the maximum number of receives', async test => {
    const queues = await startQueues({ test })
    const { received, handler } = recorder(() => true)
    poll(queues, WORK, handler)
    await queues.send(WORK, 'poison')
    await eventually(() => expect(queues.depth(DEAD_LETTERS)).toEqual({ ...EMPTY, visible: 1 }))
    expect(received).toEqual(['poison', 'poison'])
    expect(queues.depth(WORK)).toEqual(EMPTY)
  })
})

describe.concurrent('a batch', () => {
  it.for<[string, (event: SQSEvent) => unknown]>([
    ['the function throws', () => Promise.reject(new Error('broken'))],
    ['the report contains an unknown message', () => ({ batchItemFailures: [{ itemIdentifier: 'x' }] })],
    ['the report is malformed', () => ({ batchItemFailures: [{ id: 'a' }] })],
  ])('comes back completely if %s', async ([_, fail], test) => {
    const queues = await startQueues({ test })
    for (const body of ['a', 'b']) await queues.send(WORK, body)
    const received: string[][] = []
    poll(queues, WORK, event => {
      received.push(bodies(event))
      return received.length === 1 ? fail(event) : undefined
    })
    await eventually(() => expect(received.flat().sort()).toEqual(['a', 'a', 'b', 'b']))
    await eventually(() => expect(queues.depth(WORK)).toEqual(EMPTY))
  })

  it('disappears despite a report of failures if the mapping does not use reports', async test => {
    const queues = await startQueues({ test })
    const { received, handler } = recorder(() => true)
    poll(queues, WORK, handler, { reportsFailures: false })
    await queues.send(WORK, 'a')
    await eventually(() => expect(received).toEqual(['a']))
    await eventually(() => expect(queues.depth(WORK)).toEqual(EMPTY))
  })
})

describe('a poller', () => {
  it('runs at most as many concurrent invocations as the mapping allows', async () => {
    const queues = await startQueues()
    const gate = Promise.withResolvers<void>()
    let running = 0
    const received: number[] = []
    const handler = async () => {
      received.push(++running)
      await gate.promise
      running--
    }
    for (const body of ['a', 'b', 'c', 'd', 'e']) await queues.send(WORK, body)
    poll(queues, WORK, handler, { batchSize: 1, maximumConcurrency: 2 })
    await eventually(() => expect(running).toBe(2))
    expect(queues.depth(WORK)).toMatchObject({ visible: 3, inFlight: 2 })
    gate.resolve()
    await eventually(() => expect(queues.depth(WORK)).toEqual(EMPTY))
    expect(Math.max(...received)).toBe(2)
    expect(received).toHaveLength(5)
  })

  it('waits for running invocations when it stops, and receives no more messages', async () => {
    const queues = await startQueues()
    const gate = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const poller = poll(queues, WORK, () => {
      started.resolve()
      return gate.promise
    })
    await queues.send(WORK, 'a')
    await started.promise
    const stopping = poller.stop()
    await queues.send(WORK, 'later')
    expect(queues.depth(WORK)).toMatchObject({ visible: 1, inFlight: 1 })
    gate.resolve()
    await stopping
    expect(queues.depth(WORK)).toMatchObject({ visible: 1, inFlight: 0 })
  })
})
