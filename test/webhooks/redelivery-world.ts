// Deliveries that are sent again by the webhook workers in this process, to a receiver that records them.
import { beforeEach } from 'vitest'
import type { Message } from '../../shared/events/message.ts'
import { deliveryId } from '../../shared/webhooks/signed-request.ts'
import { listAttempts } from '../../shared/webhooks/store/log.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../support/queue.ts'
import { use } from '../support/use.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { openRecorder } from './recording.ts'
import { change, messageTo, newEvent, subscribe } from './subscriptions.ts'
import { startWorkers } from './workers.ts'

export function bodiesOf(messages: Message[], queue: string) {
  return messages.filter(message => message.queue === queue).map(({ body }) => body)
}

export function useRedeliveries() {
  const workers = use(startWorkers)
  let recorder: Awaited<ReturnType<typeof openRecorder>>
  beforeEach(async () => {
    recorder = await openRecorder()
  })

  /** A unit of work whose messages are returned, and not sent. */
  function collecting() {
    const messages: Message[] = []
    const work = unitOfWorkOn(workers.table)
    const commit: typeof work.commit = async (change, answer) => {
      const committed = await work.commit(change, answer)
      messages.push(...(change.messages ?? []))
      return committed
    }
    return { work: { ...work, commit }, messages }
  }

  function deliverAgain(messages: Message[]) {
    return workers.openFunction().deliverBatch(batchOf(...bodiesOf(messages, 'deliveries')))
  }

  /** Delivers new events to the subscription alone. */
  async function deliverEvents(webhook: WebhookRecord, count: number) {
    const { fanOut, deliverBatch } = workers.openFunction()
    const first = Date.now() - 1_000
    const events = Array.from({ length: count }, (_, n) => newEvent({ happened_ms: first + n }))
    for (const event of events) await fanOut(event)
    await deliverBatch(batchOf(...events.map(event => messageTo([webhook], event))))
    return events
  }

  /** A subscription with deliveries that failed. */
  async function open(count = 1) {
    const webhook = await subscribe(workers.table, recorder.url('500'), { sinceMs: Date.now() - 60_000 })
    const events = await deliverEvents(webhook, count)
    const ids = events.map(({ id: event_id }) => deliveryId({ event_id, webhook_id: webhook.id }))
    const moveTo = (to: { url?: string; is_active?: boolean }) => change(workers.table, webhook, to)
    return { webhook, events, ids, id: ids[0] ?? '', moveTo }
  }

  async function logOf({ id }: WebhookRecord) {
    return (await listAttempts(workers.table, { webhookId: id, nowMs: Date.now(), limit: 1_000 })).attempts
  }

  return {
    workers,
    get recorder() {
      return recorder
    },
    collecting,
    deliverAgain,
    deliverEvents,
    open,
    logOf,
  }
}
