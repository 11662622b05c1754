// Subscriptions and what they receive. Each is made once, for all checks that look at it.
import { at, hold, shown, succeeds } from '../answer.ts'
import type { Behaviour } from '../receiver.ts'
import { createPost, listed, type Subscription, subscribe } from '../records.ts'
import type { Suite } from '../suite.ts'
import { integer } from '../values.ts'

/** A subscription to an event that does not occur by itself. */
export function quietSubscription(suite: Suite) {
  return suite.once('quiet subscription', () => subscribe(suite, ['contact.submitted', 'user.banned']))
}

/** The test ping of a new subscription. Its subscriber answers 204, the given status, or never. */
export function pinged(suite: Suite, behaviour: Behaviour = {}) {
  return suite.once(`ping ${JSON.stringify(behaviour)}`, async () => {
    const hook = (await suite.receiver()).open(behaviour)
    const subscription = await subscribe(suite, ['test.ping'], hook)
    const startedMs = Date.now()
    const ping = await suite.admin('POST', `/admin/webhooks/${subscription.id}/test`)
    return { ...subscription, ping, tookMs: Date.now() - startedMs }
  })
}

/** Creates and publishes a post, and returns its id. */
export async function publish(suite: Suite): Promise<number> {
  const { id } = await createPost(suite)
  succeeds(await suite.admin('POST', `/admin/posts/${id}/publish`))
  return id
}

/** Waits until the subscriber has the event of this post. */
export async function arrives(suite: Suite, { hook }: Subscription, event: string, id: number) {
  const receiver = await suite.receiver()
  return receiver.until(`${event} of post ${id}`, () =>
    hook.named(event).find(delivery => at(delivery, 'data.id') === id),
  )
}

/** Waits for these counters. They may follow their delivery by moments, but change together. */
export async function countsTo(suite: Suite, id: number, expected: { total: number; failed: number }) {
  const endMs = Date.now() + suite.patienceMs
  for (;;) {
    const { answer, path } = await listed(suite, id)
    const read = (name: string) => integer(answer, `${path}.${name}_deliveries`)
    const counters = { total: read('total'), failed: read('failed') }
    if (JSON.stringify(counters) === JSON.stringify(expected)) return
    const isOver = Date.now() > endMs || counters.total >= expected.total
    hold(!isOver, `The counters are ${shown(counters)}, and not ${shown(expected)}.`)
    await suite.pause()
  }
}

/** What a subscriber to all events receives about one post, from its publication to its deletion. */
export function story(suite: Suite) {
  return suite.once('story', async () => {
    const subscription = await subscribe(suite, ['*'])
    const only = await subscribe(suite, ['post.deleted'])
    const post = await createPost(suite)
    const path = `/admin/posts/${post.id}`
    const act = async (event: string, request: () => Promise<unknown>) => {
      await request()
      return arrives(suite, subscription, event, post.id)
    }
    const published = await act('post.published', () => suite.admin('POST', `${path}/publish`))
    const updated = await act('post.updated', () => suite.admin('PATCH', path, { body: '<p>New.</p>' }))
    const unpublished = await act('post.unpublished', () => suite.admin('POST', `${path}/unpublish`))
    const deleted = await act('post.deleted', () => suite.admin('DELETE', path))
    await arrives(suite, only, 'post.deleted', post.id)
    return { subscription, only, post, published, updated, unpublished, deleted }
  })
}
