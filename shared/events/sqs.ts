// Connects to SQS, sends messages in batches, and says when a message that failed is received again.
import type * as Sqs from '@aws-sdk/client-sqs'
import { type Client, type ClientSettings, openClient } from '../aws/client.ts'
import { SQS } from '../aws/services.ts'
import { slices } from '../table/concurrency.ts'
import { retrying } from '../table/retrying.ts'
import { type Message, QUEUES, type QueueName } from './message.ts'

export type QueueOperations = {
  SendMessageBatch: [Sqs.SendMessageBatchRequest, Sqs.SendMessageBatchResult]
  ReceiveMessage: [Sqs.ReceiveMessageRequest, Sqs.ReceiveMessageResult]
  DeleteMessage: [Sqs.DeleteMessageRequest, object]
  DeleteMessageBatch: [Sqs.DeleteMessageBatchRequest, Sqs.DeleteMessageBatchResult]
  ChangeMessageVisibilityBatch: [
    Sqs.ChangeMessageVisibilityBatchRequest,
    Sqs.ChangeMessageVisibilityBatchResult,
  ]
  GetQueueAttributes: [Sqs.GetQueueAttributesRequest, Sqs.GetQueueAttributesResult]
}
export type QueueClient = Client<QueueOperations>

/** All calls go to one endpoint, whatever host the URL of a queue has. A message may be sent twice. */
export function openSqs(settings: ClientSettings): QueueClient {
  const { call, destroy } = openClient<QueueOperations>(SQS, settings)
  return { call: (...args) => retrying(() => call(...args)), destroy }
}

/** For each message, in order: whether the queue accepted it, and if not, why. */
type SendResults = { ok: boolean; problem?: string | undefined }[]
type NumberedProblem = [n: number, problem: string]
export type Sender = ReturnType<typeof openSender>

/** The most messages of one call. */
const BATCH = 10
/** Shorter than the time-out of every worker, which would otherwise be retried only minutes later. */
const TIMEOUT_MS = 10_000

export function openSender(
  sqs: Pick<QueueClient, 'call'>,
  urlOf: (queue: QueueName) => string,
  clock: () => number,
) {
  const sendBatch = async (
    queue: QueueName,
    batch: { message: Message; n: number }[],
    timeoutMs: number,
  ): Promise<NumberedProblem[]> => {
    const bounds = { abortSignal: AbortSignal.timeout(timeoutMs) }
    const Entries = batch.map(({ message, n }) => ({
      Id: String(n),
      MessageBody: asciiJson({ ...message.body, schema: 1 }),
      DelaySeconds: message.delaySeconds,
      MessageGroupId: message.group,
      MessageDeduplicationId: QUEUES[queue].isFifo ? deduplicationId(message, clock()) : undefined,
    }))
    const { Failed = [] } = await sqs.call('SendMessageBatch', { QueueUrl: urlOf(queue), Entries }, bounds)
    return Failed.map(({ Id, Code, Message }) => [Number(Id), `${Code} ${Message}`])
  }

  /** Sends all batches in parallel. Never throws: a queue that fails does not affect the others. */
  const send = async (messages: Message[], timeoutMs = TIMEOUT_MS): Promise<SendResults> => {
    const numbered = messages.map((message, n) => ({ message, n }))
    const byQueue = Map.groupBy(numbered, ({ message }) => message.queue)
    const sending = [...byQueue].flatMap(([queue, all]) =>
      slices(all, BATCH).map(batch =>
        sendBatch(queue, batch, timeoutMs).catch(error =>
          batch.map(({ n }): NumberedProblem => [n, String(error)]),
        ),
      ),
    )
    const problems = new Map((await Promise.all(sending)).flat())
    return messages.map((_, n) => ({ ok: !problems.has(n), problem: problems.get(n) }))
  }

  return { send }
}

/** The queue delays its messages for longer than a second, so that none is dropped after its work began. */
function deduplicationId({ group }: Message, nowMs: number): string {
  return `${group}-${Math.floor(nowMs / 1000)}`
}

/** Throws unless the queues accepted every message. */
export function requireSent(sent: SendResults, what: string): void {
  const refused = sent.filter(({ ok }) => !ok)
  if (refused.length > 0) {
    throw new Error(
      `${refused.length} of ${sent.length} ${what} were not accepted by the queue: ${refused[0]?.problem}`,
    )
  }
}

/** JSON in ASCII: SQS rejects some other characters. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Makes up to ten messages visible again after these seconds, instead of the queue's own time-out. */
export async function retryAfter(
  sqs: QueueClient,
  QueueUrl: string,
  messages: { receipt: string; seconds: number }[],
): Promise<void> {
  const Entries = messages.map(({ receipt, seconds }, n) => ({
    Id: String(n),
    ReceiptHandle: receipt,
    VisibilityTimeout: seconds,
  }))
  const { Failed = [] } = await sqs.call('ChangeMessageVisibilityBatch', { QueueUrl, Entries })
  const [first] = Failed
  if (first) {
    throw new Error(`${Failed.length} of ${messages.length} messages failed: ${first.Message ?? first.Code}`)
  }
}

const FIRST_PAUSE_SECONDS = 10
const LONGEST_PAUSE_SECONDS = 240

/**
 * The pause after a number of receives: it doubles, and up to half of it is added at random, so that messages
 * that failed together do not come again together. 20 receives take more than an hour.
 */
export function pauseSeconds(received: number, random = Math.random()): number {
  const least = Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (received - 1))
  return Math.round(least * (1 + random / 2))
}
