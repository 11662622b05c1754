// From an event to the messages for the subscriptions that get it, over real queues.
import { beforeEach, describe, expect, it } from 'vitest'
import { MAX_DELIVERIES } from '../../shared/events/message.ts'
import { fanOut } from '../../shared/webhooks/commands/deliver.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { newEvent, subscribe } from './subscriptions.ts'
import { startWorkers, type Workers } from './workers.ts'

let workers: Workers
beforeEach(async () => {
  workers = await startWorkers()
  return workers.stop
})

describe('an event', () => {
  it('does not go to subscriptions that were paused or did not exist when it happened', async () => {
    const happened_ms = Date.now()
    const url = 'http://127.0.0.1:1/'
    await subscribe(workers.table, url, { is_active: false })
    await subscribe(workers.table, url, { sinceMs: happened_ms + 1 })
    await fanOut(newEvent({ happened_ms }), { ...workers, nowMs: happened_ms + 1 })
    expect(workers.queued()).toBe(0)
  })

  it('is repeated as a whole when the queue rejects a part', async () => {
    const receiver = await openSubscriber()
    for (let n = 0; n < MAX_DELIVERIES + 1; n++) await subscribe(workers.table, receiver.url)
    const event = newEvent()
    const halfDeaf: typeof workers.sender = {
      send: async messages => [...(await workers.sender.send(messages.slice(0, 1))), { ok: false }],
    }
    await expect(fanOut(event, { ...workers, sender: halfDeaf })).rejects.toThrow('1 of 2')
    await fanOut(event, workers)
    const { done, failed } = await workers.drainDeliveries()
    expect(done + failed).toBe(3)
    expect(receiver.received).toHaveLength(MAX_DELIVERIES + 1)
  })
})
