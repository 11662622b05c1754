// "Events: Delivery".
import { fails, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { notRun } from '../outcome.ts'
import { createPost, subscribe } from '../records.ts'
import { signatureOf } from '../signature.ts'
import { absoluteUrl, equal, hold, integer, members, momentMs, text } from '../values.ts'
import { failedPing, goodPing } from './admin-webhooks.ts'
import { countsTo, failingStory, hangingPing, LONGEST_MS } from './delivery-stories.ts'
import { story } from './events.ts'
import { arrives, pausedStory, publish } from './webhook-states.ts'

const POST_EVENTS = ['published', 'updated', 'unpublished', 'deleted'] as const
export const DELIVERY: Section = {
  part: 'contract',
  title: 'Delivery',
  checks: [
    {
      name: 'changes of content reach the registered address as signed POSTs',
      proves:
        'The service pushes signed HTTP POST events (webhooks) to registered subscriber URLs when content or user activity changes.',
      run: async suite => {
        const { published } = await story(suite)
        hold(published.method === 'POST', `A delivery is a ${published.method}.`)
        hold(published.headers.signature !== undefined, 'A delivery has no header Signature.')
      },
    },
    {
      name: 'a delivery is a POST with a JSON body',
      proves: 'Method POST to the subscription `url`, body is JSON.',
      run: async suite => {
        for (const event of POST_EVENTS) {
          const { method, json, request } = (await story(suite))[event]
          hold(method === 'POST', `${request} is a ${method}.`)
          hold(json !== undefined, `${request} is not JSON.`)
        }
      },
    },
    {
      name: 'the envelope of a delivery has event, occurred_at and data',
      proves: 'Envelope: `event` (string), `occurred_at` (ISO 8601 timestamp), `data` (object).',
      run: async suite => {
        for (const event of POST_EVENTS) {
          const delivery = (await story(suite))[event]
          text(delivery, 'event')
          const distanceMs = Math.abs(Date.now() - momentMs(delivery, 'occurred_at'))
          hold(distanceMs < 3_600_000, `${delivery.request}: \`occurred_at\` is far from now.`)
          members(delivery, 'data')
        }
      },
    },
    {
      name: 'the `data` of a post event has id, slug, url and posted_at',
      proves: 'For post events `data` includes `id` (integer), `slug`, `url` (public URL) and `posted_at`.',
      run: async suite => {
        const { post, ...deliveries } = await story(suite)
        for (const event of POST_EVENTS) {
          equal(deliveries[event], 'data.id', post.id)
          equal(deliveries[event], 'data.slug', post.slug)
          absoluteUrl(deliveries[event], 'data.url')
          momentMs(deliveries[event], 'data.posted_at')
        }
      },
    },
    {
      name: 'the header `Signature` is the HMAC-SHA256 of the body, keyed with the secret',
      proves:
        "Header `Signature`: lowercase hex HMAC-SHA256 of the raw request body, keyed with the subscription's `secret`.",
      run: async suite => {
        const { subscription, published, deleted } = await story(suite)
        for (const { raw, headers, request } of [published, deleted]) {
          const expected = signatureOf(raw, subscription.secret)
          const { signature } = headers
          hold(signature === expected, `${request}: Signature is ${signature}, and not ${expected}.`)
        }
      },
    },
    {
      name: 'each subscription signs with a secret of its own',
      proves: 'Webhook deliveries are authenticated by signature (see Events).',
      run: async suite => {
        const { subscription, only } = await story(suite)
        hold(subscription.secret !== only.secret, 'Two subscriptions have the same secret.')
        const [delivery] = only.hook.received
        const expected = delivery && signatureOf(delivery.raw, only.secret)
        hold(delivery?.headers.signature === expected, 'The second subscription has another signature.')
      },
    },
    {
      name: 'an answer that is no 2xx, or takes more than 5 seconds, is a failed delivery',
      proves:
        'A delivery fails when the subscriber returns a non-2xx status or does not answer within 5 seconds; it is recorded as failed and `failed_deliveries` increments.',
      run: async suite => {
        const hanging = await hangingPing(suite)
        fails(hanging.ping, 502, 'DELIVERY_FAILED')
        const isTimely = hanging.tookMs > 4_500 && hanging.tookMs < LONGEST_MS
        hold(isTimely, `The service waited ${hanging.tookMs} ms for an answer that never came.`)
        await countsTo(suite, hanging.id, { total: 1, failed: 1 })
        const refusing = await failedPing(suite)
        fails(refusing.ping, 502, 'DELIVERY_FAILED')
        await countsTo(suite, refusing.id, { total: 1, failed: 1 })
      },
    },
    {
      name: 'a failed delivery is not retried',
      proves: 'Failed deliveries are not retried.',
      run: async suite => {
        const { id, hook } = await failingStory(suite)
        await countsTo(suite, id, { total: 2, failed: 2 })
        hold(hook.received.length === 2, `Two failing deliveries were sent ${hook.received.length} times.`)
      },
    },
    {
      name: 'a delivery that was answered with 2xx raises no failed counter',
      proves:
        'Subscribers should answer 2xx quickly even for events they ignore; non-2xx raises the failed counter.',
      run: async suite => {
        const { id, ping } = await goodPing(suite)
        succeeds(ping)
        await countsTo(suite, id, { total: 1, failed: 0 })
      },
    },
    {
      name: 'addresses without HTTPS receive deliveries',
      proves: 'Deliveries to non-HTTPS URLs are still made.',
      run: async suite => {
        const { subscription } = await story(suite)
        if (!subscription.hook.url.startsWith('http:')) notRun('The receiver has an address of HTTPS.')
        hold(subscription.hook.received.length > 0, 'Nothing was delivered.')
      },
    },
    {
      name: 'an inactive subscription receives no deliveries',
      proves: 'An inactive subscription receives no deliveries.',
      run: async suite => {
        const { paused, missed, later } = await pausedStory(suite)
        await arrives(suite, paused, 'post.published', later)
        const ids = paused.hook.received.map(delivery => integer(delivery, 'data.id'))
        hold(!ids.includes(missed), `An inactive subscription received the event of post ${missed}.`)
      },
    },
    {
      name: 'a draft fires nothing before it is published',
      proves: '| `post.published` | a post goes live (first publish or scheduled publish) |',
      run: async suite => {
        const subscription = await subscribe(suite, ['post.published', 'post.updated'])
        const draft = await createPost(suite)
        succeeds(await suite.admin('PATCH', `/admin/posts/${draft.id}`, { body: '<p>Still a draft.</p>' }))
        await arrives(suite, subscription, 'post.published', await publish(suite))
        const ids = subscription.hook.received.map(delivery => integer(delivery, 'data.id'))
        hold(!ids.includes(draft.id), 'A draft fired an event.')
      },
    },
  ],
  notShown: ['Exact `data` fields for non-post events: not shown.'],
  unprovable: [
    { sentence: 'Receivers must compare in constant time.', because: 'A rule for receivers.' },
    {
      sentence:
        'In the service `data` varies by event but always includes `id`, `slug` where applicable, and a public URL.',
      because: 'The contract shows no endpoint that fires an event of another kind.',
    },
  ],
}
