// Handles the messages of a batch side by side. Those that fail stay in the queue, each for a pause of its
// own; the others leave it.
import type { SQSBatchResponse, SQSRecord, SQSRecordAttributes } from 'aws-lambda'
import { type Body, MAX_RECEIVES, parseBody, type QueueName } from '../events/message.ts'
import { pauseSeconds, retryAfter } from '../events/sqs.ts'
import { withTally } from '../metrics/tally.ts'
import { described } from '../runtime/log.ts'
import { type JobContext, type Level, queueUrl, type Runtime, runtime } from '../runtime/runtime.ts'
import { refreshSecrets } from '../runtime/secrets.ts'
import { withDeadline } from '../table/retrying.ts'
import { logRun, openJobContext } from './run.ts'

/** What a worker reads of the event of Lambda's poller. */
export type QueueRecord = Pick<SQSRecord, 'messageId' | 'body' | 'receiptHandle'> & {
  attributes: Pick<SQSRecordAttributes, 'ApproximateReceiveCount'>
}
export type QueueEvent = { Records: QueueRecord[] }

export type Handle<Name extends QueueName> = (message: Body<Name>, job: JobContext) => Promise<void>

/** For one message. Most functions have 30 s. */
const TIMEOUT_MS = 15_000

export function consume<Name extends QueueName>(queue: Name, handle: Handle<Name>, timeoutMs = TIMEOUT_MS) {
  /** Logs a failure and returns false. */
  const handleOne = async (record: QueueRecord): Promise<boolean> => {
    try {
      const message = parseBody(queue, JSON.parse(record.body))
      await refreshSecrets(runtime())
      const job = openJobContext(runtime(), record.messageId)
      await withDeadline(() => handle(message, job), timeoutMs)
      return true
    } catch (problem) {
      logFailure(runtime(), queue, record, problem)
      return false
    }
  }

  /** Names the failed messages, so that Lambda deletes the others. */
  const handleBatch = async ({ Records }: QueueEvent): Promise<SQSBatchResponse> => {
    const isDone = await Promise.all(Records.map(handleOne))
    const failed = Records.filter((_, n) => !isDone[n])
    await retrySoon(runtime(), queue, failed)
    logRun(runtime())
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }
  return (event: QueueEvent) => withTally(() => handleBatch(event))
}

function receivesOf({ attributes }: QueueRecord): number {
  return Number(attributes.ApproximateReceiveCount)
}

/** Otherwise the queue's time-out of minutes would apply and, in a FIFO queue, block the message's group. */
async function retrySoon(
  { sqs, environment, log }: Runtime,
  queue: QueueName,
  failed: QueueRecord[],
): Promise<void> {
  if (failed.length === 0) return
  try {
    const pauses = failed.map(record => ({
      receipt: record.receiptHandle,
      seconds: pauseSeconds(receivesOf(record)),
    }))
    await retryAfter(sqs, queueUrl(environment, queue), pauses)
  } catch (problem) {
    log('warn', 'failed messages come again later than they should', { queue, problem: String(problem) })
  }
}

/** Most conflicts are over by the next attempt. What then still fails makes its queue late. */
const EXPECTED_FAILURES = 2

/** Only the last failure is an error. */
function logFailure({ log }: Runtime, queue: QueueName, record: QueueRecord, problem: unknown): void {
  const received = receivesOf(record)
  log(levelOf(received), 'a message failed', {
    ...requestIdIn(record.body),
    queue,
    message_id: record.messageId,
    received,
    error: described(problem),
  })
}

function levelOf(received: number): Level {
  if (received <= EXPECTED_FAILURES) return 'debug'
  return received < MAX_RECEIVES ? 'warn' : 'error'
}

/** The id of the request that sent the message, if the message has it. */
function requestIdIn(body: string): { request_id?: unknown } {
  try {
    const message = Object(JSON.parse(body))
    const { request_id } = typeof message.event === 'object' ? Object(message.event) : message
    return request_id ? { request_id } : {}
  } catch {
    return {}
  }
}
