// The declared queues in the emulator: their attributes, and what a restart keeps.
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { arn, clientSettings, fullNameOf, queueNameIn, queueUrlOf } from '../../infra/local/account.ts'
import { startQueues } from '../../infra/local/queues.ts'
import { MAX_RECEIVES, QUEUE_NAMES, QUEUES, type QueueName } from '../../shared/events/message.ts'
import { deliveryDelaySeconds, visibilitySeconds } from '../../shared/service/workers.ts'
import { newFolder } from '../support/folder.ts'

/** Stops after the test, unless the test stops it. */
async function openQueues(folder?: string) {
  const queues = await startQueues(folder)
  const client = new SQSClient(clientSettings(queues.endpoint))
  let stopped = false
  const stop = async () => {
    if (stopped) return
    stopped = true
    client.destroy()
    await queues.stop()
  }
  onTestFinished(stop)
  const urlOf = (queue: QueueName) => queueUrlOf(queues.endpoint, queue)
  return {
    client,
    stop,
    urlOf,
    depth: (queue: QueueName) => queues.depth(fullNameOf(queue)),
    send: (queue: QueueName, MessageBody: string) =>
      client.send(new SendMessageCommand({ QueueUrl: urlOf(queue), MessageBody })),
    receive: async (queue: QueueName) => {
      const command = new ReceiveMessageCommand({ QueueUrl: urlOf(queue), WaitTimeSeconds: 20 })
      return (await client.send(command)).Messages?.map(({ Body }) => Body)
    },
    attributesOf: async (QueueUrl: string) => {
      const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] })
      return (await client.send(command)).Attributes ?? {}
    },
    deadLettersOf: (queue: QueueName) => queueUrlOf(queues.endpoint, queue, 'DeadLetters'),
  }
}

describe('every declared queue', () => {
  it('has the attributes that the service declares, and dead letters', async () => {
    const queues = await openQueues()
    for (const queue of QUEUE_NAMES) {
      const { isFifo } = QUEUES[queue]
      const { RedrivePolicy = '', ...attributes } = await queues.attributesOf(queues.urlOf(queue))
      expect(attributes).toMatchObject({
        VisibilityTimeout: String(visibilitySeconds(queue)),
        DelaySeconds: String(deliveryDelaySeconds(queue)),
        QueueArn: arn('sqs', fullNameOf(queue)),
      })
      expect(attributes.FifoQueue).toBe(isFifo ? 'true' : undefined)
      expect(JSON.parse(RedrivePolicy)).toEqual({
        deadLetterTargetArn: arn('sqs', fullNameOf(queue, 'DeadLetters')),
        maxReceiveCount: MAX_RECEIVES,
      })
      const dead = await queues.attributesOf(queues.deadLettersOf(queue))
      expect(dead.MessageRetentionPeriod).toBe(String(14 * 86_400))
      expect(dead.FifoQueue).toBe(isFifo ? 'true' : undefined)
    }
  })

  it('is recognized by its URL, and nothing else is', async () => {
    const endpoint = 'http://127.1.2.3:4567'
    for (const queue of QUEUE_NAMES) {
      expect(queueNameIn(queueUrlOf(endpoint, queue))).toBe(queue)
      expect(queueNameIn(queueUrlOf(endpoint, queue, 'DeadLetters'))).toBe(undefined)
    }
    expect(queueNameIn('')).toBe(undefined)
  })
})

describe('queues in a folder', () => {
  it('keep their messages after a restart and get the declared attributes again', async () => {
    const folder = await newFolder()
    const before = await openQueues(folder)
    await before.send('jobs', 'kept')
    const Attributes = { VisibilityTimeout: '7' }
    await before.client.send(new SetQueueAttributesCommand({ QueueUrl: before.urlOf('jobs'), Attributes }))
    await before.stop()
    const after = await openQueues(folder)
    expect(after.depth('jobs')).toMatchObject({ visible: 1 })
    const { VisibilityTimeout } = await after.attributesOf(after.urlOf('jobs'))
    expect(VisibilityTimeout).toBe(String(visibilitySeconds('jobs')))
  })

  it('release messages that were in flight, later each time, so that none becomes a dead letter', async () => {
    const folder = await newFolder()
    let queues = await openQueues(folder)
    await queues.send('jobs', 'interrupted')
    let releasedMs = 0
    for (const pauseMs of [0, 1_000, 2_000, 4_000]) {
      expect(await queues.receive('jobs')).toEqual(['interrupted'])
      expect(Date.now() - releasedMs).toBeGreaterThanOrEqual(pauseMs)
      await queues.stop()
      releasedMs = Date.now()
      queues = await openQueues(folder)
      expect(queues.depth('jobs')).toEqual({ visible: 0, inFlight: 1, delayed: 0 })
    }
  })
})
