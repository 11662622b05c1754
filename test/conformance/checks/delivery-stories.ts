// Receivers that hang or fail, and the counters of their deliveries.
import { listed, subscribe } from '../records.ts'
import type { Suite } from '../suite.ts'
import { hold, integer, shown } from '../values.ts'
import { arrives, publish } from './webhook-states.ts'

/** A receiver that answers after 5 s has failed; networks and queues take some time as well. */
export const LONGEST_MS = 15_000

/** A test of a subscriber that never answers. */
export function hangingPing(suite: Suite) {
  return suite.once('hanging ping', async () => {
    const hook = (await suite.receiver()).open({ hangs: true })
    const subscription = await subscribe(suite, ['test.ping'], hook)
    const startedMs = Date.now()
    const answer = await suite.admin('POST', `/admin/webhooks/${subscription.id}/test`)
    return { ...subscription, ping: answer, tookMs: Date.now() - startedMs }
  })
}

/** An event for a subscriber that answers 500, and a later one. */
export function failingStory(suite: Suite) {
  return suite.once('failing story', async () => {
    const hook = (await suite.receiver()).open({ status: 500 })
    const failing = await subscribe(suite, ['post.published'], hook)
    const ids = [await publish(suite), await publish(suite)]
    for (const id of ids) await arrives(suite, failing, 'post.published', id)
    return failing
  })
}

async function countersOf(suite: Suite, id: number) {
  const { answer, path } = await listed(suite, id)
  const read = (name: string) => integer(answer, `${path}.${name}_deliveries`)
  return { total: read('total'), failed: read('failed') }
}

/** The counters may follow their delivery by moments, but not each other. */
export async function countsTo(suite: Suite, id: number, expected: { total: number; failed: number }) {
  const endMs = Date.now() + suite.patienceMs
  for (;;) {
    const counters = await countersOf(suite, id)
    if (JSON.stringify(counters) === JSON.stringify(expected)) return
    const isOver = Date.now() > endMs || counters.total >= expected.total
    hold(!isOver, `The counters are ${shown(counters)}, and not ${shown(expected)}.`)
    await suite.pause()
  }
}
