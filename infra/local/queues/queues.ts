// Creates the template's SQS queues in the local emulator, with redrive policies. Existing messages are kept.
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import * as z from 'zod/mini'
import { arn, clientSettings } from '../account.ts'
import { pick } from '../template/pick.ts'
import { parseProperties, type ResolverValues, type Resource } from '../template/template.ts'
import type { Sqs } from './fauxqs.ts'

type Refs = ResolverValues['refs']

const text = z.optional(z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String)))

/** The settings that the emulator supports. */
const settingProperties = z.object({
  ContentBasedDeduplication: text,
  DelaySeconds: text,
  MaximumMessageSize: text,
  MessageRetentionPeriod: text,
  ReceiveMessageWaitTimeSeconds: text,
  VisibilityTimeout: text,
  RedrivePolicy: z.optional(
    z.pipe(
      z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() }),
      z.transform(policy => JSON.stringify(policy)),
    ),
  ),
})
const settingNames = Object.keys(settingProperties.shape)

/** The Ref (URL), Arn and QueueName of every AWS::SQS::Queue. They depend only on the logical ids. */
export function queueRefs(resources: Resource[], sqs: Pick<Sqs, 'queueUrl'>): Refs {
  return new Map(
    resources.map(resource => {
      const { id } = resource
      const name = nameOf(resource)
      const url = sqs.queueUrl(name)
      return [id, { ref: url, attributes: { Arn: arn('sqs', name), QueueName: name, QueueUrl: url } }]
    }),
  )
}

/** Creates missing queues and updates the attributes of others. `resolve` must know `queueRefs`. */
export async function createQueues(options: {
  resources: Resource[]
  resolve: (value: unknown) => unknown
  sqs: Sqs
}): Promise<void> {
  const client = new SQSClient(clientSettings(options.sqs.endpoint))
  const isSource = ({ properties }: Resource) => 'RedrivePolicy' in properties
  const deadLettersFirst = options.resources.toSorted((a, b) => Number(isSource(a)) - Number(isSource(b)))
  try {
    for (const resource of deadLettersFirst) await createQueue(client, resource, options)
  } finally {
    client.destroy()
  }
}

async function createQueue(
  client: SQSClient,
  resource: Resource,
  { resolve, sqs }: { resolve: (value: unknown) => unknown; sqs: Sqs },
): Promise<void> {
  const name = nameOf(resource)
  const settings = parseProperties(
    resource,
    settingProperties,
    resolve(pick(resource.properties, settingNames)),
  )
  if (sqs.inspect(name)) {
    await client.send(new SetQueueAttributesCommand({ QueueUrl: sqs.queueUrl(name), Attributes: settings }))
    await releaseInFlight(client, name, sqs)
  } else {
    const attributes = isFifo(resource) ? { ...settings, FifoQueue: 'true' } : settings
    await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }))
  }
}

function isFifo({ properties }: Resource): boolean {
  return properties.FifoQueue === true
}

function nameOf(resource: Resource): string {
  return isFifo(resource) ? `${resource.id}.fifo` : resource.id
}

/**
 * Makes messages in flight visible again, because their workers ended with the last run: after a second, and
 * after twice as long with each receive, so that quick restarts do not make dead letters of them.
 */
async function releaseInFlight(client: SQSClient, name: string, sqs: Sqs): Promise<void> {
  for (const { receiptHandle, visibilityDeadline, message } of sqs.inspect(name)?.messages.inflight ?? []) {
    const pauseSeconds = 2 ** (message.approximateReceiveCount - 1)
    const leftSeconds = Math.ceil((visibilityDeadline - Date.now()) / 1000)
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: sqs.queueUrl(name),
        ReceiptHandle: receiptHandle,
        // fauxqs fails at zero if it has a folder.
        VisibilityTimeout: Math.max(1, Math.min(pauseSeconds, leftSeconds)),
      }),
    )
  }
}
