// A hanging subscriber occupies sockets and not workers, so it does not delay other subscribers.
import { describe, expect, it } from 'vitest'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

/** More than the messages with which the two runs of a world are invoked: ten each. */
const HANGING = 21

describe('a delivery', () => {
  it('reaches its subscriber while more deliveries hang than all runs receive at their start', async () => {
    const hanging = await openSubscriber({ hangs: true })
    const others = await Promise.all([openSubscriber(), openSubscriber()])
    for (let n = 0; n < HANGING; n++) await world.create.webhook(hanging.url, { events: ['page.published'] })
    for (const { url } of others) await world.create.webhook(url, { events: ['post.published'] })

    let rounds = 0
    await until('deliveries to others while all of the hanging subscriber hang', async () => {
      const ended = HANGING * rounds++
      await until('the last round to end', () => hanging.ended() === ended)
      await world.create.livePost({ content_type: 'page' })
      await hanging.waitFor(HANGING * rounds)
      await world.create.livePost()
      for (const other of others) await other.waitFor(rounds)
      // Five seconds may be too short on a busy machine: then there is another round.
      return hanging.ended() === ended
    })
    for (const { received } of [hanging, ...others]) {
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(received.length)
    }
  })
})
