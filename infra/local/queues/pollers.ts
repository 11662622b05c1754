// Invokes functions with the messages of their queues, as Lambda's event source mappings do.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { clientSettings } from '../account.ts'
import { MAX_THREADS } from '../lambda/pool.ts'
import type { Log } from '../log.ts'
import type { EventSourceMapping } from './event-sources.ts'
import { sqsEvent, succeeded } from './sqs-event.ts'

export type Pollers = {
  /** Stops receiving immediately and waits for running invocations. */
  stop(): Promise<void>
}

type PollerOptions = {
  mappings: EventSourceMapping[]
  endpoint: string
  invoke: (functionId: string, event: unknown) => Promise<unknown>
  log: Log
  /** Worker threads per function. */
  mostThreads?: number
}

const LONG_POLL_SECONDS = 20
const PAUSE_AFTER_ERROR_MS = 1000

export function startPollers({
  mappings,
  endpoint,
  invoke,
  log,
  mostThreads = MAX_THREADS,
}: PollerOptions): Pollers {
  const client = new SQSClient({ ...clientSettings(endpoint), maxAttempts: 1 })
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const loops = mappings.map(mapping => poll(mapping))

  async function poll(mapping: EventSourceMapping): Promise<void> {
    const batches = new Set<Promise<void>>()
    const concurrency = Math.min(mapping.maximumConcurrency, mostThreads)
    while (!stopping.signal.aborted) {
      if (batches.size >= concurrency) await Promise.race(batches)
      const messages = await receive(mapping)
      if (messages.length === 0) continue
      const batch = handle(mapping, messages).finally(() => {
        batches.delete(batch)
        running.delete(batch)
      })
      batches.add(batch)
      running.add(batch)
    }
  }

  async function receive({ queueUrl, batchSize }: EventSourceMapping): Promise<Message[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: batchSize,
      WaitTimeSeconds: LONG_POLL_SECONDS,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    })
    try {
      const { Messages } = await client.send(command, { abortSignal: stopping.signal })
      return Messages ?? []
    } catch (error) {
      if (!stopping.signal.aborted) {
        log(`Cannot receive from ${queueUrl}: ${messageOf(error)}`, 'warn')
        await sleep(PAUSE_AFTER_ERROR_MS, undefined, { signal: stopping.signal }).catch(() => {})
      }
      return []
    }
  }

  /** Messages that are not deleted become visible again after the visibility timeout. */
  async function handle(mapping: EventSourceMapping, messages: Message[]): Promise<void> {
    try {
      const answer = await invoke(mapping.functionId, sqsEvent(messages, mapping.queueArn))
      const completed = mapping.reportsFailures ? succeeded(messages, answer) : messages
      if (completed.length === 0) return
      const entries = completed.map((message, index) => ({
        Id: String(index),
        ReceiptHandle: message.ReceiptHandle,
      }))
      await client.send(new DeleteMessageBatchCommand({ QueueUrl: mapping.queueUrl, Entries: entries }))
    } catch (error) {
      if (stopping.signal.aborted) return
      log(`${mapping.functionId} failed for ${messages.length} message(s): ${messageOf(error)}`, 'warn')
    }
  }

  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      await Promise.all(running)
      client.destroy()
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
