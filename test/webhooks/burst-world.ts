// The workers of events and deliveries, on a clock and queues that move only when a test says so.
import { handler as deliver } from '../../functions/deliver-webhooks.ts'
import { handler as fanOut } from '../../functions/fan-out.ts'
import { clientSettings } from '../../infra/local/account.ts'
import type { Message } from '../../shared/events/message.ts'
import { openSqs } from '../../shared/events/sqs.ts'
import { type Runtime, withRuntime } from '../../shared/runtime/runtime.ts'
import type { WebhookChange } from '../../shared/webhooks/inputs.ts'
import { listAttempts } from '../../shared/webhooks/store/log.ts'
import { listFanOutEntries } from '../../shared/webhooks/store/webhooks.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { interceptable } from '../support/interceptable.ts'
import { newTable } from '../support/new-table.ts'
import { batchOf } from '../support/queue.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { change, newEvent, remove, subscribe } from './subscriptions.ts'
import { environment } from './workers.ts'

const START_MS = Date.parse('2026-05-26T12:00:00Z')
const AGAIN_MS = 61_000
const BATCH = 10
const HANDLERS = { events: fanOut, deliveries: deliver }

export async function openBurstWorld() {
  const { table, client, measure, dump, stop } = await newTable()
  const sqs = interceptable(openSqs(clientSettings('http://127.0.0.1:1')))
  sqs.around(async () => ({}))
  let nowMs = START_MS
  let queued: { message: Message; visibleMs: number }[] = []
  const sender: Runtime['sender'] = {
    send: async messages => {
      for (const message of messages) {
        queued.push({ message, visibleMs: nowMs + (message.delaySeconds ?? 0) * 1000 })
      }
      return messages.map(() => ({ ok: true }))
    },
  }
  const runtime: Runtime = {
    environment: { ...environment, CLIENT_KEY: 'the key of cursors' },
    table,
    sqs,
    sender,
    clock: () => nowMs,
    log: () => undefined,
  }
  const work = () => unitOfWorkOn(table, nowMs, sender)

  /** Hands messages of a queue to their function. Those that fail come again. */
  const run = async (queue: 'events' | 'deliveries', messages: Message[]): Promise<void> => {
    const bodies = messages.map(({ body }) => body)
    const { batchItemFailures } = await withRuntime(runtime, () => HANDLERS[queue](batchOf(...bodies)))
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    const again = messages.filter((_, n) => failed.has(`message-${n}`))
    queued.push(...again.map(message => ({ message, visibleMs: nowMs + AGAIN_MS })))
  }

  /** Runs all messages up to the moment in the order of their times, up to ten of a queue together. */
  const advanceTo = async (untilMs: number): Promise<void> => {
    for (;;) {
      const due = queued
        .filter(({ visibleMs }) => visibleMs <= untilMs)
        .sort((a, b) => a.visibleMs - b.visibleMs)
      const first = due[0]
      if (!first) break
      const { queue } = first.message
      const taken = due
        .filter(({ message, visibleMs }) => message.queue === queue && visibleMs <= first.visibleMs)
        .slice(0, BATCH)
      queued = queued.filter(message => !taken.includes(message))
      nowMs = Math.max(nowMs, first.visibleMs)
      const messages = taken.map(({ message }) => message)
      if (queue === 'events' || queue === 'deliveries') await run(queue, messages)
    }
    nowMs = untilMs
  }

  return {
    table,
    client,
    measure,
    dump,
    stop,
    nowMs: () => nowMs,
    advance: (ms: number) => advanceTo(nowMs + ms),
    /** Something happens now. Returns the message of its event. */
    fire: (members: Parameters<typeof newEvent>[0] = {}): Message<'events'> => {
      const message = { queue: 'events' as const, body: newEvent({ happened_ms: nowMs, ...members }) }
      queued.push({ message, visibleMs: nowMs })
      return message
    },
    loseMessages: () => {
      queued = []
    },
    sendAgain: (message: Message) => {
      queued.push({ message, visibleMs: nowMs })
    },
    subscribe: (url: string, options: Parameters<typeof subscribe>[2]) =>
      subscribe(table, url, { sinceMs: nowMs - 1_000, ...options }),
    /** They would get the events of the next test. */
    removeAll: async () => {
      for (const entry of await listFanOutEntries(table)) await remove(table, entry)
    },
    change: (webhook: WebhookRecord, to: WebhookChange) => change(table, webhook, to, nowMs),
    work,
    attempts: async ({ id }: WebhookRecord) =>
      (await listAttempts(table, { webhookId: id, nowMs, limit: 100 })).attempts.toReversed(),
  }
}
