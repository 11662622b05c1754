// "Admin endpoints" of webhooks.
import { fails, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { listed, subscribe } from '../records.ts'
import type { Suite } from '../suite.ts'
import { absent, equal, flag, hold, itemsOf, text } from '../values.ts'
import { quietSubscription } from './webhook-fields.ts'

/** A subscriber that answers 500 to a test. */
export function failedPing(suite: Suite) {
  return suite.once('failed ping', async () => {
    const hook = (await suite.receiver()).open({ status: 500 })
    const subscription = await subscribe(suite, ['test.ping'], hook)
    const answer = await suite.admin('POST', `/admin/webhooks/${subscription.id}/test`)
    return { ...subscription, ping: answer }
  })
}

export function goodPing(suite: Suite) {
  return suite.once('ping', async () => {
    const subscription = await subscribe(suite, ['test.ping'])
    const answer = await suite.admin('POST', `/admin/webhooks/${subscription.id}/test`)
    return { ...subscription, ping: answer }
  })
}

export const ADMIN_WEBHOOKS: Section = {
  part: 'contract',
  title: 'Admin endpoints of webhooks',
  checks: [
    {
      name: "GET /admin/webhooks lists the caller's subscriptions without secrets",
      proves: "| GET | `/api/v1/admin/webhooks` | none | the caller's subscriptions without `secret` |",
      run: async suite => {
        const { id } = await quietSubscription(suite)
        const { answer } = await listed(suite, id)
        for (const item of itemsOf(answer, 'data')) absent(answer, `${item}.secret`)
      },
    },
    {
      name: 'POST /admin/webhooks returns the subscription with its secret',
      proves:
        '| POST | `/api/v1/admin/webhooks` | `name` (string), `url` (string), `events` (array of strings) | message states creation; `data` is the subscription including `secret` |',
      run: async suite => {
        const { answer, secret } = await subscribe(suite, ['*'])
        succeeds(answer, 200, 201)
        equal(answer, 'data.events', ['*'])
        hold(secret !== '', 'The secret is empty.')
        hold(
          /creat/i.test(text(answer, 'message')),
          `The message “${text(answer, 'message')}” states no creation.`,
        )
      },
    },
    {
      name: 'PATCH /admin/webhooks/{id} changes is_active and events',
      proves:
        '| PATCH | `/api/v1/admin/webhooks/{id}` | subset of `is_active` (boolean), `events` (array) | updated subscription |',
      run: async suite => {
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
    },
    {
      name: 'DELETE /admin/webhooks/{id} removes a subscription',
      proves: '| DELETE | `/api/v1/admin/webhooks/{id}` | none | permanent removal |',
      run: async suite => {
        const { id } = await subscribe(suite, ['user.banned'])
        succeeds(await suite.admin('DELETE', `/admin/webhooks/${id}`))
        fails(await suite.admin('PATCH', `/admin/webhooks/${id}`, { is_active: true }), 404, 'NOT_FOUND')
      },
    },
    {
      name: 'POST /admin/webhooks/{id}/test sends a ping, and is 502 if it fails',
      proves:
        '| POST | `/api/v1/admin/webhooks/{id}/test` | none | sends a `test.ping` event to the subscriber URL; on failure responds 502 with code `DELIVERY_FAILED` |',
      run: async suite => {
        const { ping, hook } = await goodPing(suite)
        succeeds(ping, 200, 201, 202)
        const receiver = await suite.receiver()
        await receiver.until('the ping', () => hook.named('test.ping')[0])
        fails((await failedPing(suite)).ping, 502, 'DELIVERY_FAILED')
      },
    },
  ],
  notShown: [
    'Fetching a single subscription by id (`GET /api/v1/admin/webhooks/{id}`): not shown.',
    'Admin endpoints for pages, comments, tickets, newsletter, contact and users: not shown.',
  ],
}
