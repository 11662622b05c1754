// A queue's messages, side by side: one that fails comes again, and holds up none of the others.
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { z } from 'zod'
import { QUEUES, type QueueName } from '../events/message.ts'
import { type Job, openJob } from './job.ts'
import { type Runtime, runtime } from './runtime.ts'

type Body<Name extends QueueName> = z.output<(typeof QUEUES)[Name]>

const schemas: { [Name in QueueName]: z.ZodType<Body<Name>> } = QUEUES

/** A message that its schema does not know fails like any other, until it is among the dead letters. */
export const consume =
  <Name extends QueueName>(
    queue: Name,
    handle: (message: Body<Name>, job: Job) => Promise<void>,
    world: () => Runtime = runtime,
  ) =>
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const run = async (record: SQSRecord) => {
      try {
        const message = schemas[queue].parse(JSON.parse(record.body))
        await handle(message, openJob(world(), record.messageId))
        return []
      } catch (error) {
        world().log('error', 'a message failed', { queue, ...failureOf(record, error) })
        return [{ itemIdentifier: record.messageId }]
      }
    }
    return { batchItemFailures: (await Promise.all(Records.map(run))).flat() }
  }

const failureOf = ({ messageId, attributes }: SQSRecord, error: unknown) => ({
  message_id: messageId,
  received: Number(attributes.ApproximateReceiveCount),
  error: error instanceof Error ? (error.stack ?? error.message) : String(error),
})
