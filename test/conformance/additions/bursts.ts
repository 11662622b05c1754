// Subscriptions that collect events, and with headers and a body of their own.
import type { Section } from '../check.ts'
import { publish } from '../checks/stories.ts'
import { subscribe } from '../records.ts'
import type { Suite } from '../suite.ts'
import { absent, at, equal, hold, integer, isInvalid, itemsOf, succeeds, text } from '../values.ts'

/** Of the contract, as a client knows them that names no addition. */
const MEMBERS = ['id', 'name', 'url', 'events', 'is_active', 'total_deliveries', 'failed_deliveries']

async function change(suite: Suite, id: number, body: object) {
  return succeeds(await suite.admin('PATCH', `/admin/webhooks/${id}`, body), 200)
}

export const BURSTS: Section = {
  part: 'additions',
  title: 'One hook a burst, to any builder',
  checks: {
    '0: each event is a delivery, as today.': async suite => {
      const { id, answer } = await subscribe(suite, ['user.banned'])
      const changed = await change(suite, id, { is_active: true })
      const expected = [...MEMBERS].sort()
      for (const [shown, more] of [
        [answer, ['secret']],
        [changed, []],
      ] as const) {
        const names = Object.keys(Object(at(shown, 'data'))).sort()
        const given = names.filter(name => !more.some(one => one === name))
        hold(given.join() === expected.join(), `${shown.request} has the members ${names.join(', ')}.`)
      }
    },
    'Otherwise events that match are collected until none came for so long': async suite => {
      const { id, hook } = await subscribe(suite, ['post.published'])
      const changed = await change(suite, id, { quiet_seconds: 3 })
      equal(changed, 'data.quiet_seconds', 3)
      equal(changed, 'data.max_wait_seconds', 900)
      const ids = [await publish(suite), await publish(suite)]
      const batch = await (await suite.receiver()).until('the batch', () => hook.received[0])
      equal(batch, 'event', 'batch')
      equal(batch, 'data.id', id)
      const collected = itemsOf(batch, 'data.items').map(item => integer(batch, `${item}.id`))
      hold(
        ids.every(one => collected.includes(one)),
        `A batch has ${collected.join()}, and not ${ids.join()}.`,
      )
      equal(batch, 'data.count', collected.length)
      equal(batch, 'data.events', { 'post.published': collected.length })
      const since = encodeURIComponent(text(batch, 'data.cursor'))
      const changes = succeeds(await suite.reader('GET', `/changes?limit=100&since=${since}`), 200)
      const named = itemsOf(changes, 'data').map(item => at(changes, `${item}.id`))
      hold(
        ids.every(one => named.includes(one)),
        'The cursor of a batch does not lead to its posts.',
      )
    },
    'Values are sealed and never shown again: reads show the names.': async suite => {
      const { id, hook } = await subscribe(suite, ['user.banned'])
      const changed = await change(suite, id, { headers: { 'X-Builder': 'value-of-conformance' } })
      equal(changed, 'data.headers', ['X-Builder'])
      const read = succeeds(await suite.admin('GET', `/admin/webhooks/${id}`), 200)
      for (const { text: shown, request } of [changed, read]) {
        hold(!shown.includes('value-of-conformance'), `${request} shows the value of a header.`)
      }
      succeeds(await suite.admin('POST', `/admin/webhooks/${id}/test`), 200)
      const ping = await (await suite.receiver()).until('the ping', () => hook.received[0])
      hold(ping.headers['x-builder'] === 'value-of-conformance', 'A delivery has not the header.')
      for (const name of ['Signature', 'webhook-id', 'X-Request-Id', 'Host', 'Content-Type', 'Connection']) {
        isInvalid(await suite.admin('PATCH', `/admin/webhooks/${id}`, { headers: { [name]: 'x' } }))
      }
      absent(await change(suite, id, { headers: {} }), 'data.headers')
    },
    'A string that is exactly `{{event}}`, `{{occurred_at}}`, `{{id}}`, `{{count}}` or `{{cursor}}` is replaced by that value, `{{payload}}` by the whole envelope; nothing else is a template':
      async suite => {
        const { id, hook } = await subscribe(suite, ['user.banned'])
        const body = { event: '{{event}}', data: { id: '{{id}}', count: '{{count}}' }, kept: 'a {{event}}' }
        equal(await change(suite, id, { body }), 'data.body', body)
        succeeds(await suite.admin('POST', `/admin/webhooks/${id}/test`), 200)
        const ping = await (await suite.receiver()).until('the ping', () => hook.received[0])
        equal(ping, 'event', 'test.ping')
        equal(ping, 'data', { id, count: 1 })
        equal(ping, 'kept', 'a {{event}}')
      },
  },
}
