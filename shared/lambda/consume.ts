// A queue's messages, side by side: one that fails comes again, and holds up none of the others.
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type * as z from 'zod/mini'
import { MOST_RECEIVES, QUEUES, type QueueName } from '../events/message.ts'
import { openReceiver, pauseSeconds, type Taken } from '../events/receiver.ts'
import { withPatience } from '../table/patience.ts'
import { type Job, openJob } from './job.ts'
import { queueUrl, type Runtime, runtime } from './runtime.ts'

export type Body<Name extends QueueName> = z.output<(typeof QUEUES)[Name]>
export type Handle<Name extends QueueName> = (message: Body<Name>, job: Job) => Promise<void>

/** A run may have taken messages for 40 s before it takes its last, and is over after 60 s. */
const PATIENCE_MS = 15_000

/** The ids of the request behind a message, where it names them. */
const idsIn = (body: string): Record<string, unknown> => {
  try {
    const message = Object(JSON.parse(body))
    const { request_id, gateway_request_id } =
      typeof message.event === 'object' ? Object(message.event) : message
    return { ...(request_id && { request_id }), ...(gateway_request_id && { gateway_request_id }) }
  } catch {
    return {}
  }
}

const schemas: { [Name in QueueName]: z.ZodMiniType<Body<Name>> } = QUEUES
/** Throws for what its schema does not know. */
export const readMessage = <Name extends QueueName>(queue: Name, body: string): Body<Name> =>
  schemas[queue].parse(JSON.parse(body))

/**
 * Handles one message; false when it failed, which is logged. One that its schema does not know fails like any
 * other, until it is among the dead letters.
 */
export const messageRunner =
  <Name extends QueueName>(queue: Name, handle: Handle<Name>, world: () => Runtime) =>
  async (taken: Taken): Promise<boolean> => {
    try {
      const message = readMessage(queue, taken.body)
      await withPatience(() => handle(message, openJob(world(), taken.messageId)), PATIENCE_MS)
      return true
    } catch (problem) {
      logFailure(world(), queue, taken, problem)
      return false
    }
  }

/** A conflict of an ordinary burst is over by the next try, so only the last one is an error. */
export const logFailure = (
  { log }: Runtime,
  queue: QueueName,
  { messageId, received, body }: Taken,
  problem: unknown,
): void => {
  const error = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)
  const level = received < MOST_RECEIVES ? 'debug' : 'error'
  log(level, 'a message failed', { ...idsIn(body), queue, message_id: messageId, received, error })
}

export const consume = <Name extends QueueName>(
  queue: Name,
  handle: Handle<Name>,
  world: () => Runtime = runtime,
) => {
  const run = messageRunner(queue, handle, world)
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const outcomes = await Promise.all(Records.map(record => run(takenOf(record))))
    return endBatch(world(), queue, Records, outcomes)
  }
}

export const takenOf = ({ messageId, body, attributes, receiptHandle }: SQSRecord): Taken => ({
  messageId,
  body,
  received: Number(attributes.ApproximateReceiveCount),
  receipt: receiptHandle,
})

/** What failed is reported one by one, so that what went well is not handed out again, and comes again soon. */
export const endBatch = async (
  world: Runtime,
  queue: QueueName,
  records: SQSRecord[],
  outcomes: boolean[],
): Promise<SQSBatchResponse> => {
  const failed = records.filter((_, n) => !outcomes[n])
  await showAgain(world, queue, failed.map(takenOf))
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
}

/** By itself its queue would wait for minutes, and with a message of an ordered queue its group. */
export const showAgain = async (
  { sqs, environment, log }: Runtime,
  queue: QueueName,
  messages: Taken[],
  secondsOf: (message: Taken) => number = ({ received }) => pauseSeconds(received),
): Promise<void> => {
  if (messages.length === 0) return
  try {
    const batch = messages.map(message => ({ receipt: message.receipt, seconds: secondsOf(message) }))
    await openReceiver(sqs, queueUrl(environment, queue)).showAgain(batch)
  } catch (error) {
    log('warn', 'what fails comes again later than it should', { queue, problem: String(error) })
  }
}
