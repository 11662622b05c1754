// The emulator of SQS with the queues that the service declares. Existing messages are kept.
import { mkdir } from 'node:fs/promises'
import type * as Sqs from '@aws-sdk/client-sqs'
import { type FauxqsServer, startFauxqs } from 'fauxqs'
import { type Call, openClient } from '../../shared/aws/client.ts'
import { SQS } from '../../shared/aws/services.ts'
import { MAX_RECEIVES, QUEUE_NAMES, QUEUES, type QueueName } from '../../shared/events/message.ts'
import { deliveryDelaySeconds, visibilitySeconds } from '../../shared/service/workers.ts'
import { arn, clientSettings, fullNameOf, queueUrlOf, REGION } from './account.ts'
import { hiddenAddress } from './addresses.ts'

export type QueueDepth = { visible: number; inFlight: number; delayed: number }

export type Queues = {
  endpoint: string
  /** @param name the name of a queue, or of its dead letters. */
  depth(name: string): QueueDepth
  send(queue: QueueName, body: object): void
  stop(): Promise<void>
}

type Settings = {
  SetQueueAttributes: [Sqs.SetQueueAttributesRequest, object]
  ChangeMessageVisibility: [Sqs.ChangeMessageVisibilityRequest, object]
}

/** Without `folder` messages stay in memory. */
export async function startQueues(folder: string | undefined): Promise<Queues> {
  if (folder !== undefined) await mkdir(folder, { recursive: true })
  const host = hiddenAddress()
  const options = { port: 0, host, logger: false, defaultRegion: REGION }
  const server = await startFauxqs(folder === undefined ? options : { ...options, dataDir: folder })
  const endpoint = `http://${host}:${server.port}`
  const { call, destroy } = openClient<Settings>(SQS, clientSettings(endpoint))
  try {
    for (const queue of QUEUE_NAMES) await openQueue(queue, queueUrlOf(endpoint, queue), { server, call })
  } finally {
    destroy()
  }
  return {
    endpoint,
    depth: name => depthIn(server, name),
    send: (queue, body) => void server.sendMessage(fullNameOf(queue), JSON.stringify(body)),
    stop: () => server.stop(),
  }
}

export function depthIn(server: FauxqsServer, name: string): QueueDepth {
  const attributes = server.inspectQueue(name)?.attributes
  if (!attributes) throw new Error(`There is no queue ${name}.`)
  return {
    visible: Number(attributes.ApproximateNumberOfMessages),
    inFlight: Number(attributes.ApproximateNumberOfMessagesNotVisible),
    delayed: Number(attributes.ApproximateNumberOfMessagesDelayed),
  }
}

type Emulator = { server: FauxqsServer; call: Call<Settings> }

/** Creates a queue and its dead letters, or updates the attributes of the one that exists. */
async function openQueue(queue: QueueName, QueueUrl: string, { server, call }: Emulator): Promise<void> {
  const [name, deadLetters] = [fullNameOf(queue), fullNameOf(queue, 'DeadLetters')]
  const fifo: Record<string, string> = QUEUES[queue].isFifo ? { FifoQueue: 'true' } : {}
  const Attributes = {
    VisibilityTimeout: String(visibilitySeconds(queue)),
    DelaySeconds: String(deliveryDelaySeconds(queue)),
    MessageRetentionPeriod: String(4 * 86_400),
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: arn('sqs', deadLetters),
      maxReceiveCount: MAX_RECEIVES,
    }),
  }
  if (!server.inspectQueue(deadLetters)) {
    const kept = { MessageRetentionPeriod: String(14 * 86_400), ...fifo }
    server.createQueue(deadLetters, { attributes: kept })
  }
  const existing = server.inspectQueue(name)
  if (!existing) return void server.createQueue(name, { attributes: { ...Attributes, ...fifo } })
  await call('SetQueueAttributes', { QueueUrl, Attributes })
  // The workers of messages in flight ended with the last run. They become visible after a second, and after
  // twice as long with each receive, so that quick restarts do not make dead letters of them.
  for (const { receiptHandle, visibilityDeadline, message } of existing.messages.inflight) {
    const pauseSeconds = 2 ** (message.approximateReceiveCount - 1)
    const leftSeconds = Math.ceil((visibilityDeadline - Date.now()) / 1000)
    // fauxqs fails at zero if it has a folder.
    const VisibilityTimeout = Math.max(1, Math.min(pauseSeconds, leftSeconds))
    await call('ChangeMessageVisibility', { QueueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout })
  }
}
