// The way of SES's notices in the template: configuration set, event destination, topic, queue.
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod/mini'
import { clientSettings } from '../account.ts'
import type { Sqs } from '../queues/fauxqs.ts'
import type { Resolve } from '../template/resolver.ts'
import { parseProperties, type Template } from '../template/template.ts'
import { inEnvelope } from './simulator.ts'

export type Publish = (event: object) => Promise<void>

const Destination = z.object({
  EventDestination: z.object({
    Enabled: z.boolean(),
    MatchingEventTypes: z.array(z.string()),
    SnsDestination: z.object({ TopicARN: z.string() }),
  }),
})
const Subscription = z.object({
  TopicArn: z.string(),
  Protocol: z.literal('sqs'),
  Endpoint: z.string(),
  RawMessageDelivery: z.optional(z.literal(false)),
})
const Event = z.object({ eventType: z.string() })

/** Sends an event of SES to the queues that the template connects with it. */
export function openNotices(
  { resourcesOf }: Template,
  resolve: Resolve,
  sqs: Pick<Sqs, 'endpoint' | 'queueUrl'>,
): { publish: Publish; stop: () => void } {
  const destinations = resourcesOf('AWS::SES::ConfigurationSetEventDestination').map(resource =>
    parseProperties(resource, Destination, resolve(resource.properties)),
  )
  const topics = new Map(
    destinations.map(({ EventDestination: { Enabled, MatchingEventTypes, SnsDestination } }) => [
      SnsDestination.TopicARN,
      Enabled ? MatchingEventTypes : [],
    ]),
  )
  const subscriptions = resourcesOf('AWS::SNS::Subscription')
    .filter(({ properties }) => topics.has(String(resolve(properties.TopicArn))))
    .map(resource => parseProperties(resource, Subscription, resolve(resource.properties)))
  const client = new SQSClient(clientSettings(sqs.endpoint))
  return {
    publish: async event => {
      const type = Event.parse(event).eventType.toLowerCase()
      for (const { TopicArn, Endpoint } of subscriptions) {
        if (!topics.get(TopicArn)?.includes(type)) continue
        const QueueUrl = sqs.queueUrl(Endpoint.split(':').at(-1) ?? '')
        const MessageBody = JSON.stringify(inEnvelope(TopicArn, event))
        await client.send(new SendMessageCommand({ QueueUrl, MessageBody }))
      }
    },
    stop: () => client.destroy(),
  }
}
