// Handles the messages of a queue in parallel. One that fails is retried and does not affect the others.
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { type Body, MAX_RECEIVES, parseBody, type QueueName } from '../events/message.ts'
import { removeRows } from '../events/message-row.ts'
import { openReceiver, pauseSeconds, type ReceivedMessage } from '../events/receiver.ts'
import type { JobContext } from '../runtime/job.ts'
import { type Level, queueUrl, type Runtime, runtime } from '../runtime/runtime.ts'
import { refreshSecrets, withKnownKeys } from '../runtime/secrets.ts'
import { withDeadline } from '../table/deadline.ts'
import { openJobContext } from './job-context.ts'
import { asRun, logRun } from './run.ts'

export type Handle<Name extends QueueName> = (message: Body<Name>, job: JobContext) => Promise<void>

/** For one message. The functions have 30 s; one that polls takes messages for 40 s and has 60 s. */
const TIMEOUT_MS = 15_000

export function consume<Name extends QueueName>(
  queue: Name,
  handle: Handle<Name>,
  openRuntime: () => Runtime = runtime,
) {
  const run = messageRunner(queue, handle, openRuntime)
  const handleBatch = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const messages = Records.map(receivedMessage)
    const removing = removeRows(openRuntime(), messages)
    const outcomes = await Promise.all(messages.map(run))
    await removing
    return endBatch(openRuntime(), queue, Records, outcomes)
  }
  return (event: SQSEvent) => asRun(() => handleBatch(event))
}

/** Returns a function that handles one message. It logs a failure and returns false. */
export function messageRunner<Name extends QueueName>(
  queue: Name,
  handle: Handle<Name>,
  openRuntime: () => Runtime,
) {
  return async (received: ReceivedMessage): Promise<boolean> => {
    try {
      const message = parseBody(queue, JSON.parse(received.body))
      const opened = openRuntime()
      await refreshSecrets(opened)
      const job = openJobContext(opened, received.messageId)
      await withKnownKeys(opened, () => withDeadline(() => handle(message, job), TIMEOUT_MS))
      return true
    } catch (problem) {
      logFailure(openRuntime(), queue, received, problem)
      return false
    }
  }
}

/** Most conflicts are over by the next attempt. What then still fails makes its queue late. */
const EXPECTED_FAILURES = 2

/** Only the last failure is an error. */
export function logFailure(
  { log }: Runtime,
  queue: QueueName,
  { messageId, received, body }: ReceivedMessage,
  problem: unknown,
): void {
  const error = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)
  log(levelOf(received), 'a message failed', {
    ...requestIdsIn(body),
    queue,
    message_id: messageId,
    received,
    error,
  })
}

function levelOf(received: number): Level {
  if (received <= EXPECTED_FAILURES) return 'debug'
  return received < MAX_RECEIVES ? 'warn' : 'error'
}

/** The ids of the request that sent the message, if the message has them. */
function requestIdsIn(body: string): Record<string, unknown> {
  try {
    const message = Object(JSON.parse(body))
    const { request_id, gateway_request_id } =
      typeof message.event === 'object' ? Object(message.event) : message
    return { ...(request_id && { request_id }), ...(gateway_request_id && { gateway_request_id }) }
  } catch {
    return {}
  }
}

export function receivedMessage({ messageId, body, attributes, receiptHandle }: SQSRecord): ReceivedMessage {
  return {
    messageId,
    body,
    received: Number(attributes.ApproximateReceiveCount),
    receipt: receiptHandle,
  }
}

/** Ends the run: names the failed messages, so that Lambda deletes the others, and has them retried soon. */
export async function endBatch(
  openedRuntime: Runtime,
  queue: QueueName,
  records: SQSRecord[],
  outcomes: boolean[],
): Promise<SQSBatchResponse> {
  const failed = records.filter((_, n) => !outcomes[n])
  await retryAfter(openedRuntime, queue, failed.map(receivedMessage))
  logRun(openedRuntime)
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
}

/** Otherwise the queue's time-out of minutes would apply and, in a FIFO queue, block the message's group. */
export async function retryAfter(
  { sqs, environment, log }: Runtime,
  queue: QueueName,
  messages: ReceivedMessage[],
  secondsOf: (message: ReceivedMessage) => number = ({ received }) => pauseSeconds(received),
): Promise<void> {
  if (messages.length === 0) return
  try {
    const batch = messages.map(message => ({ receipt: message.receipt, seconds: secondsOf(message) }))
    await openReceiver(sqs, queueUrl(environment, queue)).retryAfter(batch)
  } catch (error) {
    log('warn', 'what fails comes again later than it should', { queue, problem: String(error) })
  }
}
