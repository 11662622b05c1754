// A subscriber that never answers costs sockets, not workers: the others hear as if it were not there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSubscriber } from '../world/subscriber.ts'
import { openWorld, type World } from '../world/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

describe('deliveries', () => {
  it('reach all others while one subscriber hangs on every one of them', async () => {
    const EVENTS = 60
    const others = await Promise.all([openSubscriber(), openSubscriber(), openSubscriber()])
    for (const { url } of others) await world.given.webhook(url)
    const deliverAll = async (count: number) => {
      const startedMs = performance.now()
      await Promise.all(Array.from({ length: EVENTS }, () => world.given.livePost()))
      for (const other of others) await other.waitFor(count)
      return performance.now() - startedMs
    }
    const aloneMs = await deliverAll(EVENTS)
    const hanging = await openSubscriber({ hangs: true })
    await world.given.webhook(hanging.url)

    // One hanging POST a batch and eight workers: waiting for each would take 60 / 8 * 5 s.
    expect(await deliverAll(2 * EVENTS)).toBeLessThan(15_000 + 2 * aloneMs)
    await hanging.waitFor(EVENTS)
    for (const { received } of [hanging, ...others])
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(received.length)
  })
})
