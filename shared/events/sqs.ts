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
type Numbered = { message: Message; n: number; deduplicationId: string | undefined }
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
  /** The newest one that each FIFO queue has accepted. */
  const accepted = new Map<QueueName, string>()
  const sendBatch = async (
    queue: QueueName,
    batch: Numbered[],
    timeoutMs: number,
  ): Promise<NumberedProblem[]> => {
    const bounds = { abortSignal: AbortSignal.timeout(timeoutMs) }
    const Entries = batch.map(({ message, n, deduplicationId }) => ({
      Id: String(n),
      MessageBody: asciiJson({ ...message.body, schema: 1 }),
      DelaySeconds: message.delaySeconds,
      MessageGroupId: message.group,
      MessageDeduplicationId: deduplicationId,
    }))
    const { Failed = [] } = await sqs.call('SendMessageBatch', { QueueUrl: urlOf(queue), Entries }, bounds)
    const [last] = Failed.length > 0 ? [] : batch.slice(-1)
    if (last?.deduplicationId) accepted.set(queue, last.deduplicationId)
    return Failed.map(({ Id, Code, Message }) => [Number(Id), `${Code} ${Message}`])
  }

  /**
   * Sends all batches in parallel, but nothing that its queue would drop as a duplicate.
   * Never throws: a queue that fails does not affect the others.
   */
  const send = async (messages: Message[], timeoutMs = TIMEOUT_MS): Promise<SendResults> => {
    const numbered = messages.map((message, n) => ({ message, n, deduplicationId: idOf(message, clock()) }))
    const isDropped = ({ message: { queue }, deduplicationId }: Numbered) =>
      deduplicationId !== undefined && accepted.get(queue) === deduplicationId
    const byQueue = Map.groupBy(
      numbered.filter(each => !isDropped(each)),
      ({ message }) => message.queue,
    )
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

/** A FIFO queue delays its messages for longer than a second: none is dropped after its work began. */
function idOf({ queue, group }: Message, nowMs: number): string | undefined {
  return QUEUES[queue].isFifo ? `${group}-${Math.floor(nowMs / 1000)}` : undefined
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
