// Subscriptions and deliveries, where the contract is silent.
import type { Section } from '../check.ts'
import { arrives, goodPing, quietSubscription, story } from '../checks/stories.ts'
import { standardSignatureOf } from '../receiver.ts'
import { createPost, inMs, subscribe } from '../records.ts'
import { absent, absoluteUrl, equal, hold, integer, isInvalid, succeeds, text } from '../values.ts'

export const WEBHOOKS: Section = {
  part: 'completions',
  title: 'Subscriptions and deliveries',
  checks: {
    '`events`: 1 to 20 names of the catalogue (`test.ping` included) or `*`, duplicates fold; anything else 422.':
      async suite => {
        const { hook } = await quietSubscription(suite)
        const body = { name: suite.unique('hook'), url: hook.url }
        for (const events of [[], ['no.such.event'], 'post.published']) {
          isInvalid(await suite.admin('POST', '/admin/webhooks', { ...body, events }))
        }
        const twice = { ...body, events: ['user.banned', 'user.banned'] }
        equal(succeeds(await suite.admin('POST', '/admin/webhooks', twice)), 'data.events', ['user.banned'])
      },
    '| GET | `/admin/webhooks/{id}` | without `secret` |': async suite => {
      const { id } = await quietSubscription(suite)
      const answer = succeeds(await suite.admin('GET', `/admin/webhooks/${id}`), 200)
      equal(answer, 'data.id', id)
      absent(answer, 'data.secret')
    },
    'A ping answers 200 with `delivered: true`, `response_status`, `duration_ms`, or 502 with the reason in `message`; it counts in the counters like any delivery.':
      async suite => {
        const { ping } = await goodPing(suite)
        equal(succeeds(ping, 200), 'data.delivered', true)
        equal(ping, 'data.response_status', 204)
        integer(ping, 'data.duration_ms')
      },
    'Deliveries carry, beside `Signature`: `Content-Type: application/json`, `User-Agent`, and the Standard Webhooks headers `webhook-id` (stable for event and subscription), `webhook-timestamp`, `webhook-signature`.':
      async suite => {
        const { subscription, published } = await story(suite)
        const { headers } = published
        for (const name of ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp']) {
          hold(headers[name] !== undefined, `A delivery has no header ${name}.`)
        }
        const expected = standardSignatureOf(published, subscription.secret)
        const given = String(headers['webhook-signature']).split(' ')
        hold(given.includes(expected), `webhook-signature is ${given.join(' ')}, and not ${expected}.`)
      },
    'The secret is `whsec_` + base64 of 32 random bytes; `Signature` is keyed with the bytes of that string as shown, Standard Webhooks with the 32 bytes.':
      async suite => {
        const { secret } = await quietSubscription(suite)
        const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64').length
        hold(secret.startsWith('whsec_') && bytes === 32, `A secret has another form, and ${bytes} bytes.`)
      },
    '| `post.*`, `page.published` | `id`, `slug`, `url` (`{site.url}/blog/{slug}`, pages `{site.url}/{slug}`), `posted_at`, `title`, `content_type`, `version`, `previous_slug?` |':
      async suite => {
        const { published, updated, post } = await story(suite)
        equal(published, 'data.title', post.title)
        equal(published, 'data.content_type', 'post')
        hold(
          integer(updated, 'data.version') > integer(published, 'data.version'),
          'The version does not rise.',
        )
        const url = absoluteUrl(published, 'data.url')
        hold(url.endsWith(`/blog/${text(published, 'data.slug')}`), `The URL of a post is ${url}.`)
      },
    'Pages fire `page.published` on going live and `post.updated`, `post.unpublished`, `post.deleted` otherwise, with `content_type` in `data`.':
      async suite => {
        const subscription = await subscribe(suite, ['page.published'])
        const page = { content_type: 'page', is_published: true, posted_at: inMs(-60_000) }
        const { id } = await createPost(suite, page)
        const delivery = await arrives(suite, subscription, 'page.published', id)
        equal(delivery, 'data.content_type', 'page')
      },
  },
}
