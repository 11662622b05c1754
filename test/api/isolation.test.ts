// A subscriber that never answers costs sockets, not workers: the others hear as if it were not there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { openWorld, type World } from '../world/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

/** More than the runs of a world are handed: two, of ten messages each. */
const HANGING = 21

describe('deliveries', () => {
  it('reach all others while more of them hang than all runs together were handed', async () => {
    const hanging = await openSubscriber({ hangs: true })
    const others = await Promise.all([openSubscriber(), openSubscriber()])
    for (let n = 0; n < HANGING; n++) await world.given.webhook(hanging.url, { events: ['page.published'] })
    for (const { url } of others) await world.given.webhook(url, { events: ['post.published'] })

    let rounds = 0
    await until('the others to hear while all hang', async () => {
      const ended = HANGING * rounds++
      await until('the last round to end', () => hanging.ended() === ended)
      await world.given.livePost({ content_type: 'page' })
      await hanging.waitFor(HANGING * rounds)
      await world.given.livePost()
      for (const other of others) await other.waitFor(rounds)
      // Each hangs for five seconds, which may be too short for a busy machine: then all hang once more.
      return hanging.ended() === ended
    })
    for (const { received } of [hanging, ...others]) {
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(received.length)
    }
  })
})
