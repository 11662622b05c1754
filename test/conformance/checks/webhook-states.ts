// "States and transitions: Webhook subscription".
import { fails, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { createPost, listed, type Subscription, subscribe } from '../records.ts'
import type { Suite } from '../suite.ts'
import { at, flag, hold } from '../values.ts'

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

/** A pause, an event that must not arrive, and one after the pause. The witness is never paused. */
async function pauseAndResume(suite: Suite) {
  const paused = await subscribe(suite, ['post.published'])
  const witness = await subscribe(suite, ['post.published'])
  const pause = await suite.admin('PATCH', `/admin/webhooks/${paused.id}`, { is_active: false })
  const missed = await publish(suite)
  await arrives(suite, witness, 'post.published', missed)
  const resume = await suite.admin('PATCH', `/admin/webhooks/${paused.id}`, { is_active: true })
  const later = await publish(suite)
  await arrives(suite, witness, 'post.published', later)
  return { paused, pause, resume, missed, later }
}

export function pausedStory(suite: Suite) {
  return suite.once('pause', () => pauseAndResume(suite))
}

export const WEBHOOK_STATES: Section = {
  part: 'contract',
  title: 'States of a subscription',
  checks: [
    {
      name: 'a subscription is paused by `is_active: false`',
      proves: '| active | `PATCH` with `is_active: false` | inactive (deliveries paused) |',
      run: async suite => {
        const { pause, paused, missed, later } = await pausedStory(suite)
        hold(!flag(succeeds(pause, 200), 'data.is_active'), 'The subscription is still active.')
        await arrives(suite, paused, 'post.published', later)
        const ids = paused.hook.received.map(delivery => at(delivery, 'data.id'))
        hold(!ids.includes(missed), 'A paused subscription received an event.')
      },
    },
    {
      name: 'a subscription is resumed by `is_active: true`',
      proves: '| inactive | `PATCH` with `is_active: true` | active |',
      run: async suite => {
        const { resume, paused, later } = await pausedStory(suite)
        hold(flag(succeeds(resume, 200), 'data.is_active'), 'The subscription is still paused.')
        await arrives(suite, paused, 'post.published', later)
      },
    },
    {
      name: 'a deleted subscription is removed permanently',
      proves: '| any | `DELETE` | removed permanently |',
      run: async suite => {
        const { id } = await subscribe(suite, ['user.banned'])
        await listed(suite, id)
        succeeds(await suite.admin('DELETE', `/admin/webhooks/${id}`))
        const all = succeeds(await suite.admin('GET', '/admin/webhooks'), 200)
        hold(!all.text.includes(`"id":${id},`), 'A deleted subscription is in the list.')
        fails(await suite.admin('DELETE', `/admin/webhooks/${id}`), 404, 'NOT_FOUND')
      },
    },
  ],
}
