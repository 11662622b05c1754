// What a delivery costs: calls and units, with the subscriptions in memory.
import { describe, expect, it } from 'vitest'
import { batchOf } from '../world/queue.ts'
import { versionIsSettled } from '../world/settled.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { use } from '../world/use.ts'
import { openRecorder } from './recording.ts'
import { messageTo, newEvent, subscribe } from './subscriptions.ts'
import { startWorkers } from './workers.ts'

const workers = use(startWorkers)

describe('a delivery to a subscription in memory', () => {
  it('costs two calls more than its share of one read for its message', async () => {
    const receiver = await openSubscriber()
    const first = await subscribe(workers.table, receiver.url)
    const webhooks = [first]
    while (webhooks.length < 25) {
      webhooks.push(await subscribe(workers.table, receiver.url, { ownerId: first.owner_id }))
    }
    await workers.deliverBatch(batchOf(messageTo(webhooks)))
    await versionIsSettled()
    for (let n = 0; n < 2; n++) await workers.deliverBatch(batchOf(messageTo(webhooks)))
    const { used } = await workers.measure(() => workers.deliverBatch(batchOf(messageTo(webhooks))))
    // The version, the owner and a token; for each a claim, and one transaction of outcome and counter.
    expect(used.readUnits).toBe(3)
    expect(used.writeUnits).toBe(25 * (1 + 2 + 2))
    expect(used.calls).toBeLessThanOrEqual(1 + 25 + 25)
    expect(receiver.received).toHaveLength(100)
  })

  it('costs one write unit more if the answer is long, and one for its event', async () => {
    const recorder = await openRecorder()
    for (const [path, units] of [
      ['200', 1 + 1 + 2 + 2],
      ['500', 1 + 1 + 2 + 2],
      ['long', 1 + 1 + 2 + 2 + 1],
    ] as const) {
      const webhook = await subscribe(workers.table, recorder.url(path))
      const event = newEvent()
      const { used } = await workers.measure(async () => {
        await workers.openFunction().fanOut(event)
        await workers.deliverBatch(batchOf(messageTo([webhook], event)))
      })
      expect([path, used.writeUnits]).toEqual([path, units])
    }
  })

  it('is preceded by a fan-out that reads one unit and writes one', async () => {
    const { fanOut } = workers.openFunction()
    await fanOut(newEvent())
    await versionIsSettled()
    await fanOut(newEvent())
    const { used } = await workers.measure(() => fanOut(newEvent()))
    // The version; the event, which is kept for the log of its deliveries.
    expect(used).toMatchObject({ calls: 2, readUnits: 1, writeUnits: 1 })
  })
})
