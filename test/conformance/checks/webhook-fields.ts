// "Webhook subscription".
import { isInvalid, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { listed, subscribe } from '../records.ts'
import type { Suite } from '../suite.ts'
import { absent, at, equal, flag, hold, integer, text } from '../values.ts'

/** A subscription to an event that does not occur by itself. */
export function quietSubscription(suite: Suite) {
  return suite.once('quiet subscription', () => subscribe(suite, ['contact.submitted', 'user.banned']))
}

export const WEBHOOK_FIELDS: Section = {
  part: 'contract',
  title: 'Webhook subscription',
  checks: [
    {
      name: 'the `id` of a subscription is an integer',
      proves: '| `id` | integer | |',
      run: async suite => {
        const { id } = await quietSubscription(suite)
        const { answer, path } = await listed(suite, id)
        hold(integer(answer, `${path}.id`) === id, 'The subscription is not in the list.')
      },
    },
    {
      name: 'the `name` of a subscription reads back',
      proves: '| `name` | string | |',
      run: async suite => {
        const { id, answer: created } = await quietSubscription(suite)
        const { answer, path } = await listed(suite, id)
        hold(text(created, 'data.name').startsWith(suite.mark), 'The subscription has another name.')
        equal(answer, `${path}.name`, at(created, 'data.name'))
      },
    },
    {
      name: 'the `url` of a subscription reads back',
      proves: '| `url` | string | subscriber endpoint |',
      run: async suite => {
        const { id, hook, answer: created } = await quietSubscription(suite)
        equal(created, 'data.url', hook.url)
        const { answer, path } = await listed(suite, id)
        equal(answer, `${path}.url`, hook.url)
      },
    },
    {
      name: 'the `events` of a subscription are names of the events part, or `*`',
      proves: '| `events` | array of strings | event names from the Events part, or `*` |',
      run: async suite => {
        const { answer } = await quietSubscription(suite)
        equal(answer, 'data.events', ['contact.submitted', 'user.banned'])
        const { hook } = await quietSubscription(suite)
        const body = { name: suite.unique('hook'), url: hook.url, events: ['post.exploded'] }
        isInvalid(await suite.admin('POST', '/admin/webhooks', body))
      },
    },
    {
      name: 'a new subscription is active',
      proves: '| `is_active` | boolean | `true` on creation; `false` pauses deliveries |',
      run: async suite => {
        const { answer } = await quietSubscription(suite)
        hold(flag(answer, 'data.is_active'), 'A new subscription is not active.')
      },
    },
    {
      name: '`total_deliveries` of a new subscription is 0',
      proves: '| `total_deliveries` | integer | 0 on creation |',
      run: async suite => equal((await quietSubscription(suite)).answer, 'data.total_deliveries', 0),
    },
    {
      name: '`failed_deliveries` of a new subscription is 0',
      proves: '| `failed_deliveries` | integer | 0 on creation; incremented per failed delivery |',
      run: async suite => equal((await quietSubscription(suite)).answer, 'data.failed_deliveries', 0),
    },
    {
      name: 'the `secret` is shown on creation and never again',
      proves:
        '| `secret` | string | returned only in the creation response; never present in list or later responses |',
      run: async suite => {
        const { id, secret, answer: created } = await quietSubscription(suite)
        hold(text(created, 'data.secret') !== '', 'The secret is empty.')
        const { answer, path } = await listed(suite, id)
        absent(answer, `${path}.secret`)
        const events = at(created, 'data.events')
        const changed = succeeds(await suite.admin('PATCH', `/admin/webhooks/${id}`, { events }), 200)
        absent(changed, 'data.secret')
        for (const { text: shown, request } of [answer, changed]) {
          hold(!shown.includes(secret), `${request} shows the secret.`)
        }
      },
    },
    {
      name: 'another user than the creator has no access to a subscription',
      proves:
        "A subscription belongs to the authenticated user who created it; the list returns only the caller's subscriptions.",
      run: async suite => {
        const { id } = await quietSubscription(suite)
        succeeds(await suite.user('GET', '/admin/webhooks'), 403)
        succeeds(await suite.user('DELETE', `/admin/webhooks/${id}`), 403)
        await listed(suite, id)
      },
    },
  ],
}
