// Subscriptions and what they receive, each made once for all checks that look at it.
import { createPost, listed, type Subscription, subscribe } from '../records.ts'
import type { Suite } from '../suite.ts'
import { at, hold, integer, shown, succeeds } from '../values.ts'

/** A subscription to an event that does not occur by itself. */
export function quietSubscription(suite: Suite) {
  return suite.once('quiet subscription', () => subscribe(suite, ['contact.submitted', 'user.banned']))
}

/** A test of a new subscription, whose subscriber answers 204, 500 or never. */
function pinged(suite: Suite, name: string, behaviour: { status?: number; hangs?: boolean }) {
  return suite.once(name, async () => {
    const hook = (await suite.receiver()).open(behaviour)
    const subscription = await subscribe(suite, ['test.ping'], hook)
    const startedMs = Date.now()
    const ping = await suite.admin('POST', `/admin/webhooks/${subscription.id}/test`)
    return { ...subscription, ping, tookMs: Date.now() - startedMs }
  })
}

export function goodPing(suite: Suite) {
  return pinged(suite, 'ping', {})
}

export function failedPing(suite: Suite) {
  return pinged(suite, 'failed ping', { status: 500 })
}

export function hangingPing(suite: Suite) {
  return pinged(suite, 'hanging ping', { hangs: true })
}

/** Publishes a post, and returns its id. */
export async function publish(suite: Suite): Promise<number> {
  const { id } = await createPost(suite)
  succeeds(await suite.admin('POST', `/admin/posts/${id}/publish`))
  return id
}

/** Waits for the event of a post. */
export async function arrives(suite: Suite, { hook }: Subscription, event: string, id: number) {
  const receiver = await suite.receiver()
  return receiver.until(`${event} of post ${id}`, () =>
    hook.named(event).find(delivery => at(delivery, 'data.id') === id),
  )
}

/** The counters may follow their delivery by moments, but not each other. */
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

/** One post from its publication to its end, and what a subscriber to everything receives of it. */
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
