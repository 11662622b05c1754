// "Webhook subscription", its states and transitions, and "Admin endpoints" of webhooks.
import { absent, at, equal, fails, hold, isInvalid, succeeds } from '../answer.ts'
import type { Section } from '../check.ts'
import { listed, subscribe } from '../records.ts'
import type { Suite } from '../suite.ts'
import { flag, integer, itemsOf, text } from '../values.ts'
import { arrives, pinged, publish, quietSubscription } from './stories.ts'

/** A member of a subscription reads back in the list. */
function readsBack(name: string) {
  return async (suite: Suite): Promise<void> => {
    const { id, answer: created } = await quietSubscription(suite)
    const { answer, path } = await listed(suite, id)
    equal(answer, `${path}.${name}`, text(created, `data.${name}`))
  }
}

/** The secret is shown on creation and never again. */
async function secrets(suite: Suite): Promise<void> {
  const { id, secret, answer: created } = await quietSubscription(suite)
  hold(secret !== '', 'The secret is empty.')
  const { answer } = await listed(suite, id)
  for (const item of itemsOf(answer, 'data')) absent(answer, `${item}.secret`)
  const events = at(created, 'data.events')
  const changed = succeeds(await suite.admin('PATCH', `/admin/webhooks/${id}`, { events }), 200)
  absent(changed, 'data.secret')
  for (const { text: shown, request } of [answer, changed]) {
    hold(!shown.includes(secret), `${request} shows the secret.`)
  }
}

async function removal(suite: Suite): Promise<void> {
  const { id } = await subscribe(suite, ['user.banned'])
  await listed(suite, id)
  succeeds(await suite.admin('DELETE', `/admin/webhooks/${id}`))
  const all = succeeds(await suite.admin('GET', '/admin/webhooks'), 200)
  hold(!all.text.includes(`"id":${id},`), 'A deleted subscription is in the list.')
  fails(await suite.admin('PATCH', `/admin/webhooks/${id}`, { is_active: true }), 404, 'NOT_FOUND')
  fails(await suite.admin('DELETE', `/admin/webhooks/${id}`), 404, 'NOT_FOUND')
}

/** A pause, an event that must not arrive, and one after the pause. The witness is never paused. */
export async function pauses(suite: Suite): Promise<void> {
  const paused = await subscribe(suite, ['post.published'])
  const witness = await subscribe(suite, ['post.published'])
  const setActive = (is_active: boolean) =>
    suite.admin('PATCH', `/admin/webhooks/${paused.id}`, { is_active })
  const pause = await setActive(false)
  const missed = await publish(suite)
  await arrives(suite, witness, 'post.published', missed)
  const resume = await setActive(true)
  const later = await publish(suite)
  for (const each of [witness, paused]) await arrives(suite, each, 'post.published', later)
  const ids = paused.hook.received.map(delivery => integer(delivery, 'data.id'))
  hold(!ids.includes(missed), `An inactive subscription received the event of post ${missed}.`)
  equal(succeeds(pause, 200), 'data.is_active', false)
  equal(succeeds(resume, 200), 'data.is_active', true)
}

export async function pings(suite: Suite): Promise<void> {
  const { ping, hook } = await pinged(suite)
  succeeds(ping, 200, 201, 202)
  const receiver = await suite.receiver()
  equal(await receiver.until('the ping', () => hook.received[0]), 'event', 'test.ping')
  fails((await pinged(suite, { status: 500 })).ping, 502, 'DELIVERY_FAILED')
}

export const WEBHOOK_FIELDS: Section = {
  part: 'contract',
  title: 'Webhook subscription',
  checks: {
    '| `id` | integer | |': async suite => void (await listed(suite, (await quietSubscription(suite)).id)),
    '| `name` | string | |': readsBack('name'),
    '| `url` | string | subscriber endpoint |': async suite => {
      const { hook, answer } = await quietSubscription(suite)
      equal(answer, 'data.url', hook.url)
      await readsBack('url')(suite)
    },
    '| `events` | array of strings | event names from the Events part, or `*` |': async suite => {
      const { answer, hook } = await quietSubscription(suite)
      equal(answer, 'data.events', ['contact.submitted', 'user.banned'])
      const body = { name: suite.unique('hook'), url: hook.url, events: ['post.exploded'] }
      isInvalid(await suite.admin('POST', '/admin/webhooks', body))
    },
    '| `is_active` | boolean | `true` on creation; `false` pauses deliveries |': async suite => {
      const { answer } = await quietSubscription(suite)
      hold(flag(answer, 'data.is_active'), 'A new subscription is not active.')
    },
    '| `total_deliveries` | integer | 0 on creation |': async suite =>
      equal((await quietSubscription(suite)).answer, 'data.total_deliveries', 0),
    '| `failed_deliveries` | integer | 0 on creation; incremented per failed delivery |': async suite =>
      equal((await quietSubscription(suite)).answer, 'data.failed_deliveries', 0),
    '| `secret` | string | returned only in the creation response; never present in list or later responses |':
      secrets,
    "A subscription belongs to the authenticated user who created it; the list returns only the caller's subscriptions.":
      async suite => {
        const { id } = await quietSubscription(suite)
        succeeds(await suite.user('GET', '/admin/webhooks'), 403)
        succeeds(await suite.user('DELETE', `/admin/webhooks/${id}`), 403)
        await listed(suite, id)
      },
  },
}

export const WEBHOOK_STATES: Section = {
  part: 'contract',
  title: 'States of a subscription',
  checks: {
    '| active | `PATCH` with `is_active: false` | inactive (deliveries paused) |': pauses,
    '| inactive | `PATCH` with `is_active: true` | active |': pauses,
    '| any | `DELETE` | removed permanently |': removal,
  },
}

export const ADMIN_WEBHOOKS: Section = {
  part: 'contract',
  title: 'Admin endpoints of webhooks',
  checks: {
    "| GET | `/api/v1/admin/webhooks` | none | the caller's subscriptions without `secret` |": secrets,
    '| POST | `/api/v1/admin/webhooks` | `name` (string), `url` (string), `events` (array of strings) | message states creation; `data` is the subscription including `secret` |':
      async suite => {
        const { answer, secret } = await subscribe(suite, ['*'])
        succeeds(answer, 200, 201)
        equal(answer, 'data.events', ['*'])
        hold(secret !== '', 'The secret is empty.')
        const message = text(answer, 'message')
        hold(/creat/i.test(message), `The message “${message}” states no creation.`)
      },
    '| PATCH | `/api/v1/admin/webhooks/{id}` | subset of `is_active` (boolean), `events` (array) | updated subscription |':
      async suite => {
        const { id } = await subscribe(suite, ['user.banned'])
        const path = `/admin/webhooks/${id}`
        const changed = succeeds(await suite.admin('PATCH', path, { events: ['ticket.created'] }), 200)
        equal(changed, 'data.events', ['ticket.created'])
        hold(flag(changed, 'data.is_active'), 'A change of the events has paused the subscription.')
        succeeds(await suite.admin('PATCH', path, { is_active: false }), 200)
        const { answer, path: item } = await listed(suite, id)
        equal(answer, `${item}.is_active`, false)
        equal(answer, `${item}.events`, ['ticket.created'])
        fails(await suite.admin('PATCH', '/admin/webhooks/999999999', { is_active: true }), 404, 'NOT_FOUND')
      },
    '| DELETE | `/api/v1/admin/webhooks/{id}` | none | permanent removal |': removal,
    '| POST | `/api/v1/admin/webhooks/{id}/test` | none | sends a `test.ping` event to the subscriber URL; on failure responds 502 with code `DELIVERY_FAILED` |':
      pings,
  },
  notShown: [
    'Fetching a single subscription by id (`GET /api/v1/admin/webhooks/{id}`): not shown.',
    'Admin endpoints for pages, comments, tickets, newsletter, contact and users: not shown.',
  ],
}
