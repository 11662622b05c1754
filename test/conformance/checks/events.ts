// "Events: Event names".
import { succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { createPost, inMs, subscribe } from '../records.ts'
import { logIn } from '../sessions.ts'
import type { Suite } from '../suite.ts'
import { at, equal, hold, momentMs } from '../values.ts'
import { goodPing } from './admin-webhooks.ts'
import { arrives } from './webhook-states.ts'

const SOON_MS = 3_000

/** Events without an endpoint in the contract that fires them. */
const WITHOUT_EMITTER = [
  '| `page.published` | a static page is published |',
  '| `comment.created` | a new comment is submitted (pending or auto-approved) |',
  '| `comment.approved` | an admin approves a pending comment |',
  '| `newsletter.subscribed` | a subscriber confirms newsletter signup |',
  '| `newsletter.unsubscribed` | a subscriber opts out |',
  '| `user.registered` | a new user account is created |',
  '| `user.banned` | a user account is banned |',
  '| `ticket.created` | a support ticket is opened |',
  '| `ticket.replied` | a reply is added to a ticket |',
  "| `ticket.status-changed` | a ticket's status changes |",
  '| `contact.submitted` | a contact form is submitted |',
]

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

export const EVENTS: Section = {
  part: 'contract',
  title: 'Event names',
  checks: [
    {
      name: 'a subscription receives the events that it names, and `*` all of them',
      proves:
        'The service sends webhook deliveries to subscriptions whose `events` contain the event name or `*`.',
      run: async suite => {
        const { only, subscription, post } = await story(suite)
        const names = only.hook.received.map(({ json }) => at({ json }, 'event'))
        hold(
          names.every(name => name === 'post.deleted'),
          `A subscription to post.deleted received ${names}.`,
        )
        const all = subscription.hook.received.filter(delivery => at(delivery, 'data.id') === post.id)
        hold(all.length >= 4, `A subscription to * received ${all.length} of 4 events.`)
      },
    },
    {
      name: '`post.published` fires when a post is published',
      proves: '| `post.published` | a post goes live (first publish or scheduled publish) |',
      run: async suite => equal((await story(suite)).published, 'event', 'post.published'),
    },
    {
      name: '`post.published` fires when a scheduled post goes live, and not before',
      proves:
        'Automatic publishing of scheduled posts: not shown (the `post.published` event description states that a scheduled publish also fires it).',
      run: async suite => {
        const subscription = await subscribe(suite, ['post.published'])
        const dueMs = Date.now() + SOON_MS
        const { id, slug } = await createPost(suite, { is_published: true, posted_at: inMs(SOON_MS) })
        const delivery = await arrives(suite, subscription, 'post.published', id)
        // Clocks of two machines differ by some seconds.
        hold(Date.now() > dueMs - 2 * SOON_MS, 'The event arrived before the date.')
        momentMs(delivery, 'occurred_at')
        succeeds(await suite.reader('GET', `/posts/${slug}`), 200)
      },
    },
    {
      name: '`post.updated` fires when a published post changes',
      proves: "| `post.updated` | a published post's content changes |",
      run: async suite => equal((await story(suite)).updated, 'event', 'post.updated'),
    },
    {
      name: '`post.deleted` fires when a post is deleted',
      proves: '| `post.deleted` | a post is permanently deleted |',
      run: async suite => equal((await story(suite)).deleted, 'event', 'post.deleted'),
    },
    {
      name: '`post.unpublished` fires when a published post becomes a draft',
      proves: '| `post.unpublished` | a published post is reverted to draft |',
      run: async suite => equal((await story(suite)).unpublished, 'event', 'post.unpublished'),
    },
    {
      name: '`user.logged-in` fires when a user logs in',
      proves: '| `user.logged-in` | a user logs in |',
      run: async suite => {
        const { hook } = await subscribe(suite, ['user.logged-in'])
        await logIn(suite)
        await (await suite.receiver()).until('user.logged-in', () => hook.named('user.logged-in')[0])
      },
    },
    {
      name: '`*` receives all events',
      proves: '| `*` | wildcard: all events |',
      run: async suite => {
        const { subscription } = await story(suite)
        const names = subscription.hook.received.map(({ json }) => at({ json }, 'event'))
        for (const name of ['post.published', 'post.updated', 'post.unpublished', 'post.deleted']) {
          hold(names.includes(name), `A subscription to * did not receive ${name}.`)
        }
      },
    },
    {
      name: '`test.ping` is sent by the test endpoint',
      proves: '| `test.ping` | sent by the webhook test endpoint |',
      run: async suite => {
        const { hook } = await goodPing(suite)
        const receiver = await suite.receiver()
        equal(await receiver.until('the ping', () => hook.received[0]), 'event', 'test.ping')
      },
    },
    {
      name: 'the publish endpoint fires `post.published`',
      proves:
        'Emitter links: `POST /api/v1/admin/posts/{id}/publish` fires `post.published`. Which operations fire the other events: not shown.',
      run: async suite => {
        const { published, post } = await story(suite)
        equal(published, 'data.id', post.id)
      },
    },
  ],
  unprovable: WITHOUT_EMITTER.map(sentence => ({
    sentence,
    because: 'The contract shows no endpoint that fires it.',
  })),
}
