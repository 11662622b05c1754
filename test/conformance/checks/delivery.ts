// "Events: Event names" and "Events: Delivery".
import { at, equal, fails, hold, notRun, succeeds } from '../answer.ts'
import type { Section } from '../check.ts'
import { signatureOf } from '../receiver.ts'
import { createPost, inMs, logIn, subscribe } from '../records.ts'
import type { Suite } from '../suite.ts'
import { absoluteUrl, integer, members, momentMs } from '../values.ts'
import { arrives, countsTo, pinged, publish, story } from './stories.ts'
import { pauses, pings } from './webhooks.ts'

const SOON_MS = 3_000
/** A receiver that answers after 5 s has failed; networks and queues take some time as well. */
const LONGEST_MS = 15_000
const POST_EVENTS = ['published', 'updated', 'unpublished', 'deleted'] as const

/** A subscription to `*` receives the four events of a post, and one to a single event only that one. */
async function postEvents(suite: Suite): Promise<void> {
  const { subscription, only, post, ...deliveries } = await story(suite)
  for (const event of POST_EVENTS) {
    equal(deliveries[event], 'event', `post.${event}`)
    equal(deliveries[event], 'data.id', post.id)
  }
  const names = only.hook.received.map(delivery => at(delivery, 'event'))
  const isOnly = names.every(name => name === 'post.deleted')
  hold(isOnly, `A subscription to post.deleted received ${names}.`)
}

/** A draft fires nothing before it is published. */
async function firstPublish(suite: Suite): Promise<void> {
  const subscription = await subscribe(suite, ['post.published', 'post.updated'])
  const draft = await createPost(suite)
  succeeds(await suite.admin('PATCH', `/admin/posts/${draft.id}`, { body: '<p>Still a draft.</p>' }))
  await arrives(suite, subscription, 'post.published', await publish(suite))
  const ids = subscription.hook.received.map(delivery => integer(delivery, 'data.id'))
  hold(!ids.includes(draft.id), 'A draft fired an event.')
}

/** POSTs with a JSON envelope, each signed with the secret of its subscription. */
async function signedPosts(suite: Suite): Promise<void> {
  const { subscription, only, ...deliveries } = await story(suite)
  for (const event of POST_EVENTS) {
    const delivery = deliveries[event]
    const { method, json, request, headers, raw } = delivery
    hold(method === 'POST', `${request} is a ${method}.`)
    hold(json !== undefined, `${request} is not JSON.`)
    const distanceMs = Math.abs(Date.now() - momentMs(delivery, 'occurred_at'))
    hold(distanceMs < 3_600_000, `${request}: \`occurred_at\` is far from now.`)
    members(delivery, 'data')
    const expected = signatureOf(raw, subscription.secret)
    const { signature } = headers
    hold(signature === expected, `${request}: Signature is ${signature}, and not ${expected}.`)
  }
  hold(subscription.secret !== only.secret, 'Two subscriptions have the same secret.')
  const [delivery] = only.hook.received
  const expected = delivery && signatureOf(delivery.raw, only.secret)
  hold(delivery?.headers.signature === expected, 'The second subscription has another signature.')
}

export async function hangingDelivery(suite: Suite): Promise<void> {
  const { ping, tookMs, id } = await pinged(suite, { hangs: true })
  fails(ping, 502, 'DELIVERY_FAILED')
  const isTimely = tookMs > 4_500 && tookMs < LONGEST_MS
  hold(isTimely, `The service waited ${tookMs} ms for an answer that never came.`)
  await countsTo(suite, id, { total: 1, failed: 1 })
}

/** Only what was not answered with 2xx is counted as failed. */
async function failures(suite: Suite): Promise<void> {
  const [good, failed] = [await pinged(suite), await pinged(suite, { status: 500 })]
  succeeds(good.ping)
  fails(failed.ping, 502, 'DELIVERY_FAILED')
  await countsTo(suite, good.id, { total: 1, failed: 0 })
  await countsTo(suite, failed.id, { total: 1, failed: 1 })
}

export const EVENTS: Section = {
  part: 'contract',
  title: 'Event names',
  checks: {
    'The service sends webhook deliveries to subscriptions whose `events` contain the event name or `*`.':
      postEvents,
    '| `post.published` | a post goes live (first publish or scheduled publish) |': firstPublish,
    'Automatic publishing of scheduled posts: not shown (the `post.published` event description states that a scheduled publish also fires it).':
      async suite => {
        const subscription = await subscribe(suite, ['post.published'])
        const dueMs = Date.now() + SOON_MS
        const { id, slug } = await createPost(suite, { is_published: true, posted_at: inMs(SOON_MS) })
        const delivery = await arrives(suite, subscription, 'post.published', id)
        // Clocks of two machines differ by some seconds.
        hold(Date.now() > dueMs - 2 * SOON_MS, 'The event arrived before the date.')
        momentMs(delivery, 'occurred_at')
        succeeds(await suite.reader('GET', `/posts/${slug}`), 200)
      },
    "| `post.updated` | a published post's content changes |": postEvents,
    '| `post.deleted` | a post is permanently deleted |': postEvents,
    '| `post.unpublished` | a published post is reverted to draft |': postEvents,
    '| `user.logged-in` | a user logs in |': async suite => {
      const { hook } = await subscribe(suite, ['user.logged-in'])
      await logIn(suite)
      await (await suite.receiver()).until('user.logged-in', () => hook.named('user.logged-in')[0])
    },
    '| `*` | wildcard: all events |': postEvents,
    '| `test.ping` | sent by the webhook test endpoint |': pings,
    'Emitter links: `POST /api/v1/admin/posts/{id}/publish` fires `post.published`. Which operations fire the other events: not shown.':
      postEvents,
  },
  // The contract shows no endpoint that fires them.
  notShown: [
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
  ],
}

export const DELIVERY: Section = {
  part: 'contract',
  title: 'Delivery',
  checks: {
    'The service pushes signed HTTP POST events (webhooks) to registered subscriber URLs when content or user activity changes.':
      signedPosts,
    'Method POST to the subscription `url`, body is JSON.': signedPosts,
    'Envelope: `event` (string), `occurred_at` (ISO 8601 timestamp), `data` (object).': signedPosts,
    'For post events `data` includes `id` (integer), `slug`, `url` (public URL) and `posted_at`.':
      async suite => {
        const { post, ...deliveries } = await story(suite)
        for (const event of POST_EVENTS) {
          equal(deliveries[event], 'data.id', post.id)
          equal(deliveries[event], 'data.slug', post.slug)
          absoluteUrl(deliveries[event], 'data.url')
          momentMs(deliveries[event], 'data.posted_at')
        }
      },
    "Header `Signature`: lowercase hex HMAC-SHA256 of the raw request body, keyed with the subscription's `secret`.":
      signedPosts,
    'Webhook deliveries are authenticated by signature (see Events).': signedPosts,
    'A delivery fails when the subscriber returns a non-2xx status or does not answer within 5 seconds; it is recorded as failed and `failed_deliveries` increments.':
      async suite => {
        await hangingDelivery(suite)
        await failures(suite)
      },
    'Failed deliveries are not retried.': async suite => {
      const hook = (await suite.receiver()).open({ status: 500 })
      const failing = await subscribe(suite, ['post.published'], hook)
      const ids = [await publish(suite), await publish(suite)]
      for (const id of ids) await arrives(suite, failing, 'post.published', id)
      await countsTo(suite, failing.id, { total: 2, failed: 2 })
      hold(hook.received.length === 2, `Two failing deliveries were sent ${hook.received.length} times.`)
    },
    'Subscribers should answer 2xx quickly even for events they ignore; non-2xx raises the failed counter.':
      failures,
    'Deliveries to non-HTTPS URLs are still made.': async suite => {
      const { subscription } = await story(suite)
      if (!subscription.hook.url.startsWith('http:')) notRun('The receiver has an address of HTTPS.')
      hold(subscription.hook.received.length > 0, 'Nothing was delivered.')
    },
    'An inactive subscription receives no deliveries.': pauses,
  },
  notShown: [
    'Exact `data` fields for non-post events: not shown.',
    'In the service `data` varies by event but always includes `id`, `slug` where applicable, and a public URL.',
    'Receivers must compare in constant time.',
  ],
}
