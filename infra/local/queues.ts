// The emulator of SQS with the queues that the service declares. Existing messages are kept.
import { mkdir } from 'node:fs/promises'
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { type FauxqsServer, startFauxqs } from 'fauxqs'
import { MAX_RECEIVES, QUEUE_NAMES, QUEUES, type QueueName } from '../../shared/events/message.ts'
import { deliveryDelaySeconds, visibilitySeconds } from '../../shared/service/queues.ts'
import { capitalized } from '../names.ts'
import { ACCOUNT_ID, arn, clientSettings, REGION } from './account.ts'
import { hiddenAddress } from './hidden-address.ts'

export type QueueDepth = { visible: number; inFlight: number; delayed: number }

export type Queues = {
  endpoint: string
  /** @param name the name of a queue, or of its dead letters. */
  depth(name: string): QueueDepth
  stop(): Promise<void>
}

/** `EventsQueue`, or `IndexQueue.fifo`. */
export function fullNameOf(queue: QueueName, kind: 'Queue' | 'DeadLetters' = 'Queue'): string {
  return `${capitalized(queue)}${kind}${QUEUES[queue].isFifo ? '.fifo' : ''}`
}

export function queueUrlOf(
  endpoint: string,
  queue: QueueName,
  kind: 'Queue' | 'DeadLetters' = 'Queue',
): string {
  return `${endpoint}/${ACCOUNT_ID}/${fullNameOf(queue, kind)}`
}

export function queueNameIn(url: string): QueueName | undefined {
  return QUEUE_NAMES.find(queue => url.endsWith(`/${fullNameOf(queue)}`))
}

/** Without `folder` messages stay in memory. */
export async function startQueues(folder: string | undefined): Promise<Queues> {
  if (folder !== undefined) await mkdir(folder, { recursive: true })
  const host = hiddenAddress()
  const options = { port: 0, host, logger: false, defaultRegion: REGION }
  const server = await startFauxqs(folder === undefined ? options : { ...options, dataDir: folder })
  const endpoint = `http://${host}:${server.port}`
  const client = new SQSClient(clientSettings(endpoint))
  try {
    for (const queue of QUEUE_NAMES) await createQueue(client, server, { endpoint, queue })
  } finally {
    client.destroy()
  }
  return {
    endpoint,
    depth(name) {
      const attributes = server.inspectQueue(name)?.attributes
      if (!attributes) throw new Error(`There is no queue ${name}.`)
      return {
        visible: Number(attributes.ApproximateNumberOfMessages),
        inFlight: Number(attributes.ApproximateNumberOfMessagesNotVisible),
        delayed: Number(attributes.ApproximateNumberOfMessagesDelayed),
      }
    },
    stop: () => server.stop(),
  }
}

type Place = { endpoint: string; queue: QueueName }

/** Creates a queue and its dead letters, or updates the attributes of the one that exists. */
async function createQueue(client: SQSClient, server: FauxqsServer, { endpoint, queue }: Place) {
  const [name, deadLetters] = [fullNameOf(queue), fullNameOf(queue, 'DeadLetters')]
  const fifo = QUEUES[queue].isFifo ? { FifoQueue: 'true' } : {}
  const attributes = {
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
    await client.send(new CreateQueueCommand({ QueueName: deadLetters, Attributes: kept }))
  }
  if (!server.inspectQueue(name)) {
    await client.send(new CreateQueueCommand({ QueueName: name, Attributes: { ...attributes, ...fifo } }))
    return
  }
  const QueueUrl = queueUrlOf(endpoint, queue)
  await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: attributes }))
  await releaseInFlight(client, server, { name, QueueUrl })
}

/**
 * Makes messages in flight visible again, because their workers ended with the last run: after a second, and
 * after twice as long with each receive, so that quick restarts do not make dead letters of them.
 */
async function releaseInFlight(
  client: SQSClient,
  server: FauxqsServer,
  { name, QueueUrl }: { name: string; QueueUrl: string },
): Promise<void> {
  const messages = server.inspectQueue(name)?.messages.inflight ?? []
  for (const { receiptHandle, visibilityDeadline, message } of messages) {
    const pauseSeconds = 2 ** (message.approximateReceiveCount - 1)
    const leftSeconds = Math.ceil((visibilityDeadline - Date.now()) / 1000)
    // fauxqs fails at zero if it has a folder.
    const VisibilityTimeout = Math.max(1, Math.min(pauseSeconds, leftSeconds))
    const release = { QueueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout }
    await client.send(new ChangeMessageVisibilityCommand(release))
  }
}
