// The log of deliveries, sending one again, and a new secret.
import type { Section } from '../check.ts'
import { arrives, failedPing, goodPing, publish } from '../checks/stories.ts'
import { signatureOf, standardSignatureOf } from '../receiver.ts'
import { subscribe } from '../records.ts'
import type { Suite } from '../suite.ts'
import {
  type Answer,
  equal,
  fails,
  fallShort,
  hold,
  integer,
  list,
  momentMs,
  succeeds,
  text,
} from '../values.ts'

async function log(suite: Suite, id: number, query = ''): Promise<Answer> {
  return succeeds(await suite.admin('GET', `/admin/webhooks/${id}/deliveries${query}`), 200)
}

/** The log of a subscription after its only delivery has ended. */
async function endedLog(suite: Suite, id: number): Promise<Answer> {
  const endMs = Date.now() + suite.patienceMs
  for (;;) {
    const answer = await log(suite, id, '?status=succeeded')
    if (list(answer, 'data').length > 0) return answer
    if (Date.now() > endMs) fallShort(`${answer.request} does not list a delivery that has arrived.`)
    await suite.pause()
  }
}

/** A delivery, and the same one once more. */
async function sentAgain(suite: Suite) {
  const subscription = await subscribe(suite, ['post.published'])
  const { id, hook } = subscription
  const first = await arrives(suite, subscription, 'post.published', await publish(suite))
  const path = `/admin/webhooks/${id}/deliveries/${text(await endedLog(suite, id), 'data.0.id')}/redeliver`
  const answer = succeeds(await suite.admin('POST', path), 202)
  const second = await (await suite.receiver()).until('the redelivery', () => hook.received[1])
  return { subscription, first, answer, second }
}

export const DELIVERIES: Section = {
  part: 'additions',
  title: 'Delivery log, redelivery, rotation',
  checks: {
    'Each attempt to deliver is a record, kept 30 days.': async suite => {
      const answer = await log(suite, (await goodPing(suite)).id)
      const expected = { event: 'test.ping', trigger: 'ping', attempt: 1, status: 'succeeded', error: null }
      for (const [name, value] of Object.entries(expected)) equal(answer, `data.0.${name}`, value)
      equal(answer, 'data.0.response_status', 204)
      integer(answer, 'data.0.duration_ms')
      momentMs(answer, 'data.0.attempted_at')
    },
    '| GET | `/admin/webhooks/{id}/deliveries` | newest first; `status` (`sending`, `succeeded`, `failed`), `event`, `since`, `until`, `limit`, `after` |':
      async suite => {
        const { id } = await failedPing(suite)
        const failed = await log(suite, id, '?status=failed')
        equal(failed, 'data.0.error', 'status')
        equal(failed, 'data.0.response_status', 500)
        const succeeded = await log(suite, id, '?status=succeeded')
        hold(list(succeeded, 'data').length === 0, `${succeeded.request} lists a failed delivery.`)
      },
    "The single one adds `request` (`url`, `headers` as sent but for the secret's signature base, `body` byte for byte) and `response` (`headers`, at most 2 kB; `body_start`, the first 1,024 bytes as text).":
      async suite => {
        const { id, hook } = await goodPing(suite)
        const ping = await (await suite.receiver()).until('the ping', () => hook.received[0])
        const path = `/admin/webhooks/${id}/deliveries/${text(await log(suite, id), 'data.0.id')}`
        const single = succeeds(await suite.admin('GET', path), 200)
        equal(single, 'data.request.body', ping.raw.toString('utf8'))
        text(single, 'data.response.body_start')
      },
    '`GET /admin/webhooks/{id}` (not the list) also shows `last_success_at`, `last_failure_at`, `recent` (`{succeeded, failed}` of the last 20 attempts), `secret_rotation` (below).':
      async suite => {
        const { id } = await failedPing(suite)
        const answer = succeeds(await suite.admin('GET', `/admin/webhooks/${id}`), 200)
        equal(answer, 'data.recent.succeeded', 0)
        equal(answer, 'data.recent.failed', 1)
        equal(answer, 'data.last_success_at', null)
        momentMs(answer, 'data.last_failure_at')
        equal(answer, 'data.secret_rotation', null)
      },
    'Same body byte for byte, same `webhook-id`, new `webhook-timestamp` and signatures, header `webhook-attempt: N`.':
      async suite => {
        const { subscription, first, answer, second } = await sentAgain(suite)
        equal(answer, 'data.attempt', 2)
        hold(second.raw.equals(first.raw), 'A redelivery has another body.')
        const id = second.headers['webhook-id']
        hold(id === first.headers['webhook-id'], `A redelivery has another \`webhook-id\`: ${id}.`)
        hold(second.headers['webhook-attempt'] === '2', 'A redelivery does not carry `webhook-attempt: 2`.')
        const expected = standardSignatureOf(second, subscription.secret)
        hold(second.headers['webhook-signature'] === expected, 'A redelivery is not signed again.')
      },
    'While the overlap lasts, `webhook-signature` carries two signatures, the new one first (Standard Webhooks: a receiver accepts either), and `Signature` stays with the old secret;':
      async suite => {
        const { id, secret, hook } = await subscribe(suite, ['test.ping'])
        const rotate = () => suite.admin('POST', `/admin/webhooks/${id}/rotate-secret`, { overlap_hours: 1 })
        const fresh = text(succeeds(await rotate(), 200), 'data.secret')
        succeeds(await suite.admin('POST', `/admin/webhooks/${id}/test`), 200)
        const ping = await (await suite.receiver()).until('the ping', () => hook.received[0])
        const expected = [fresh, secret].map(key => standardSignatureOf(ping, key)).join(' ')
        const given = ping.headers['webhook-signature']
        hold(given === expected, `webhook-signature is ${given}, and not ${expected}.`)
        hold(
          ping.headers.signature === signatureOf(ping.raw, secret),
          '`Signature` is not with the old secret.',
        )
        fails(await rotate(), 409, 'CONFLICT')
      },
  },
}
