// A queue's messages, side by side: one that fails comes again, and holds up none of the others.
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { type Body, MOST_RECEIVES, parseBody, type QueueName } from '../events/message.ts'
import { openReceiver, pauseSeconds, type Taken } from '../events/receiver.ts'
import type { JobContext } from '../runtime/job.ts'
import { queueUrl, type Runtime, runtime } from '../runtime/runtime.ts'
import { withDeadline } from '../table/deadline.ts'
import { openJobContext } from './job-context.ts'

export type Handle<Name extends QueueName> = (message: Body<Name>, job: JobContext) => Promise<void>

/** A run may have taken messages for 40 s before it takes its last, and is over after 60 s. */
const TIMEOUT_MS = 15_000

/** The ids of the request behind a message, where it names them. */
function idsIn(body: string): Record<string, unknown> {
  try {
    const message = Object(JSON.parse(body))
    const { request_id, gateway_request_id } =
      typeof message.event === 'object' ? Object(message.event) : message
    return { ...(request_id && { request_id }), ...(gateway_request_id && { gateway_request_id }) }
  } catch {
    return {}
  }
}

/**
 * Handles one message; false when it failed, which is logged. One that its schema does not know fails like any
 * other, until it is among the dead letters.
 */
export function messageRunner<Name extends QueueName>(
  queue: Name,
  handle: Handle<Name>,
  openRuntime: () => Runtime,
) {
  return async (taken: Taken): Promise<boolean> => {
    try {
      const message = parseBody(queue, JSON.parse(taken.body))
      await withDeadline(() => handle(message, openJobContext(openRuntime(), taken.messageId)), TIMEOUT_MS)
      return true
    } catch (problem) {
      logFailure(openRuntime(), queue, taken, problem)
      return false
    }
  }
}

/** A conflict of an ordinary burst is over by the next try, so only the last one is an error. */
export function logFailure(
  { log }: Runtime,
  queue: QueueName,
  { messageId, received, body }: Taken,
  problem: unknown,
): void {
  const error = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)
  const level = received < MOST_RECEIVES ? 'debug' : 'error'
  log(level, 'a message failed', { ...idsIn(body), queue, message_id: messageId, received, error })
}

export function consume<Name extends QueueName>(
  queue: Name,
  handle: Handle<Name>,
  openRuntime: () => Runtime = runtime,
) {
  const run = messageRunner(queue, handle, openRuntime)
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const outcomes = await Promise.all(Records.map(record => run(takenOf(record))))
    return endBatch(openRuntime(), queue, Records, outcomes)
  }
}

export function takenOf({ messageId, body, attributes, receiptHandle }: SQSRecord): Taken {
  return {
    messageId,
    body,
    received: Number(attributes.ApproximateReceiveCount),
    receipt: receiptHandle,
  }
}

/** What failed is reported one by one, so that what went well is not handed out again, and comes again soon. */
export async function endBatch(
  openRuntime: Runtime,
  queue: QueueName,
  records: SQSRecord[],
  outcomes: boolean[],
): Promise<SQSBatchResponse> {
  const failed = records.filter((_, n) => !outcomes[n])
  await retryAfter(openRuntime, queue, failed.map(takenOf))
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
}

/** By itself its queue would wait for minutes, and with a message of an ordered queue its group. */
export async function retryAfter(
  { sqs, environment, log }: Runtime,
  queue: QueueName,
  messages: Taken[],
  secondsOf: (message: Taken) => number = ({ received }) => pauseSeconds(received),
): Promise<void> {
  if (messages.length === 0) return
  try {
    const batch = messages.map(message => ({ receipt: message.receipt, seconds: secondsOf(message) }))
    await openReceiver(sqs, queueUrl(environment, queue)).retryAfter(batch)
  } catch (error) {
    log('warn', 'what fails comes again later than it should', { queue, problem: String(error) })
  }
}
