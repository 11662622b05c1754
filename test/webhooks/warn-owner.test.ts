// When the owner of a subscription is warned, and what a check costs.
import { describe, expect, it } from 'vitest'
import { saveSettings } from '../../shared/site/commands.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../support/queue.ts'
import { use } from '../support/use.ts'
import { openRecorder } from './recording.ts'
import { change, messageTo, newEvent, subscribe } from './subscriptions.ts'
import { startWorkers } from './workers.ts'

const workers = use(startWorkers)

async function open() {
  const recorder = await openRecorder()
  const webhook = await subscribe(workers.table, recorder.url('500'))
  const moveTo = (path: string) => change(workers.table, webhook, { url: recorder.url(path) })
  return { webhook, moveTo, mailsBefore: workers.queuedMails() }
}

/** Delivers `count` events by one function, one after the other. */
async function deliver(webhook: WebhookRecord, count: number, { deliverBatch } = workers.openFunction()) {
  for (let n = 0; n < count; n++) await deliverBatch(batchOf(messageTo([webhook], newEvent())))
}

describe('a subscription whose deliveries fail', () => {
  it('is reported once a day by the 20th failure in a row, whichever functions deliver', async () => {
    const { webhook, mailsBefore } = await open()
    await deliver(webhook, 19)
    expect(workers.queuedMails()).toBe(mailsBefore)
    const events = Array.from({ length: 6 }, () => newEvent())
    await Promise.all(
      [1, 2, 3].map(() =>
        workers.openFunction().deliverBatch(batchOf(...events.map(event => messageTo([webhook], event)))),
      ),
    )
    expect(workers.queuedMails()).toBe(mailsBefore + 1)
    await deliver(webhook, 1)
    expect(workers.queuedMails()).toBe(mailsBefore + 1)
    const tomorrow = workers.openFunction()
    tomorrow.advance(24 * 60 * 60 * 1000 + 1_000)
    await deliver(webhook, 1, tomorrow)
    expect(workers.queuedMails()).toBe(mailsBefore + 2)
  })

  it('is not reported while one of the last 20 succeeded, and after a warning costs no further read', async () => {
    const { webhook, moveTo, mailsBefore } = await open()
    await moveTo('200')
    await deliver(webhook, 1)
    await moveTo('500')
    await deliver(webhook, 19)
    expect(workers.queuedMails()).toBe(mailsBefore)
    const own = workers.openFunction()
    await deliver(webhook, 1, own)
    expect(workers.queuedMails()).toBe(mailsBefore + 1)
    const { used } = await workers.measure(() => deliver(webhook, 1, own))
    expect(used.calls).toBe(3)
  })

  it('is not reported if the setting is off', async () => {
    const { webhook, mailsBefore } = await open()
    await saveSettings(workers.table, { 'webhooks.warn_owner': false })
    await deliver(webhook, 25)
    expect(workers.queuedMails()).toBe(mailsBefore)
  })
})
