// Subscriptions that hang until the deadline of 5 s, while others are delivered. The tests wait side by side.
import { describe, expect, it } from 'vitest'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { use } from '../world/use.ts'
import { DONE } from './message-world.ts'
import { countsOf, messageTo, newEvent, subscribe } from './subscriptions.ts'
import { startWorkers } from './workers.ts'

const workers = use(startWorkers)

describe.concurrent('a subscription that hangs', () => {
  it('does not delay the counts of the others in its message of 25', async ({ onTestFinished }) => {
    const hanging = await openSubscriber({ hangs: true, onTestFinished })
    const receiver = await openSubscriber({ onTestFinished })
    const webhooks: WebhookRecord[] = []
    for (let n = 0; n < 25; n++) {
      webhooks.push(await subscribe(workers.table, (n % 10 === 5 ? hanging : receiver).url))
    }
    const event = newEvent()
    const [slow, quick] = [5, 15].map(n => webhooks[n]).concat(webhooks[0])
    const running = workers.deliverBatch(batchOf(messageTo(webhooks, event)))
    await until('the others to be counted', async () => {
      const counts = await Promise.all(webhooks.map(webhook => countsOf(workers.table, webhook)))
      return counts.filter(({ total }) => total === 1).length >= 23
    })
    expect(hanging.ended()).toBe(0)
    expect(await running).toEqual(DONE)
    expect([receiver.received.length, hanging.received.length]).toEqual([23, 2])
    expect(slow && (await countsOf(workers.table, slow))).toEqual({ total: 1, failed: 1 })
    expect(quick && (await countsOf(workers.table, quick))).toEqual({ total: 1, failed: 1 })
  })

  it('gets messages and a group of its own for ten minutes', async ({ onTestFinished }) => {
    const hanging = await openSubscriber({ hangs: true, onTestFinished })
    const slow = await subscribe(workers.table, hanging.url)
    // The last one in the order of owners, so that `slow` is in no message alone by chance.
    await subscribe(workers.table, hanging.url)
    const { fanOut, deliverBatch, advance } = workers.openFunction()
    const ownMessage = async () => {
      for (const { group, body } of await fanOut(newEvent())) {
        const ids = 'subscriptions' in body ? body.subscriptions.map(({ id }) => id) : []
        if (ids.includes(slow.id)) return { group, isAlone: ids.length === 1 }
      }
      return undefined
    }
    expect(await ownMessage()).toMatchObject({ isAlone: false })
    await deliverBatch(batchOf(messageTo([slow])))
    expect(await ownMessage()).toEqual({ group: String(slow.id), isAlone: true })
    advance(600_001)
    expect(await ownMessage()).toMatchObject({ isAlone: false })
  })
})
