// Receives the messages of a queue and calls its worker, as Lambda's poller does in AWS.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Message, ReceiveMessageRequest } from '@aws-sdk/client-sqs'
import * as z from 'zod/mini'
import { openClient } from '../../shared/aws/client.ts'
import { SQS } from '../../shared/aws/services.ts'
import type { QueueClient, QueueOperations } from '../../shared/events/sqs.ts'
import type { QueueEvent, QueueRecord } from '../../shared/lambda/consume.ts'
import { clientSettings } from './account.ts'
import type { Log } from './log.ts'

export type PollerOptions = {
  client: QueueClient
  /** The name of the worker, for the log. */
  name: string
  queue: { url: string; batchSize: number; maxConcurrency: number }
  invoke: (event: QueueEvent) => Promise<unknown>
  log: Log
}

const LONG_POLL_SECONDS = 20
const PAUSE_AFTER_ERROR_MS = 1000
const RECEIVE_TIMEOUT_MS = (LONG_POLL_SECONDS + 10) * 1000

/** It repeats no call: the poller itself goes on after an error. */
export function connectPoller(endpoint: string): QueueClient {
  const requestHandler = { requestTimeout: RECEIVE_TIMEOUT_MS }
  return openClient<QueueOperations>(SQS, { ...clientSettings(endpoint), requestHandler })
}

export function startPoller({ client, name, queue, invoke, log }: PollerOptions) {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const QueueUrl = queue.url

  const poll = async () => {
    while (!stopping.signal.aborted) {
      if (running.size >= queue.maxConcurrency) await Promise.race(running)
      const messages = await receive()
      if (messages.length === 0) continue
      const batch = handle(messages).finally(() => running.delete(batch))
      running.add(batch)
    }
  }

  const receive = async (): Promise<Message[]> => {
    const input: ReceiveMessageRequest = {
      QueueUrl,
      MaxNumberOfMessages: queue.batchSize,
      WaitTimeSeconds: LONG_POLL_SECONDS,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    }
    try {
      const { Messages = [] } = await client.call('ReceiveMessage', input, { abortSignal: stopping.signal })
      return Messages
    } catch (error) {
      if (!stopping.signal.aborted) {
        log(`Cannot receive from ${QueueUrl}: ${messageOf(error)}`, 'warn')
        await sleep(PAUSE_AFTER_ERROR_MS, undefined, { signal: stopping.signal }).catch(() => {})
      }
      return []
    }
  }

  /** Messages that are not deleted become visible again after the visibility time-out. */
  const handle = async (messages: Message[]) => {
    try {
      const answer = await invoke({ Records: messages.map(recordOf) })
      const Entries = succeeded(messages, answer).map(({ ReceiptHandle }, n) => ({
        Id: String(n),
        ReceiptHandle,
      }))
      if (Entries.length > 0) await client.call('DeleteMessageBatch', { QueueUrl, Entries })
    } catch (error) {
      if (stopping.signal.aborted) return
      log(`${name} failed for ${messages.length} message(s): ${messageOf(error)}`, 'warn')
    }
  }

  const polling = poll()
  return {
    /** Stops receiving immediately and waits for running invocations. */
    async stop() {
      stopping.abort()
      await polling
      await Promise.all(running)
    },
  }
}

export function recordOf(message: Message): QueueRecord {
  const { MessageId = '', ReceiptHandle = '', Body = '', Attributes = {} } = message
  const { ApproximateReceiveCount = '1' } = Attributes
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: { ApproximateReceiveCount },
  }
}

/** A worker that reports nothing has handled all messages. */
const BatchAnswer = z.optional(
  z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) }),
)

/** The messages that the answer does not report as failed. Throws if it is no report. */
export function succeeded(messages: Message[], answer: unknown): Message[] {
  const { batchItemFailures = [] } = BatchAnswer.parse(answer) ?? {}
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  return messages.filter(({ MessageId = '' }) => !failed.has(MessageId))
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
