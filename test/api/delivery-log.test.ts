// The log of deliveries: it agrees, record by record, with a receiver that records what it gets.
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { clientSettings } from '../../infra/local/account.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { deliveryKey, eventKey, userKey, webhookKey } from '../../shared/table/design.ts'
import type { Key } from '../../shared/table/key.ts'
import { keepEvent } from '../../shared/webhooks/commands/kept-events.ts'
import { changeWebhook as storeChange } from '../../shared/webhooks/commands/webhooks.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { ERRORS } from '../../shared/webhooks/fields.ts'
import { FAILURES } from '../webhooks/failing-receivers.ts'
import { FINE, openRecorder } from '../webhooks/recording.ts'
import { newEvent } from '../webhooks/subscriptions.ts'
import { until } from '../world/until.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const { listDeliveries, getDelivery, testWebhook, changeWebhook } = adminWebhooks

function list(id: number, token = world.admin) {
  return world.call(listDeliveries, { token, params: { id } })
}

function show(id: number, delivery_id: string, token = world.admin) {
  return world.call(getDelivery, { token, params: { id, delivery_id } })
}

async function ended(id: number, count: number) {
  return await until(`${count} deliveries to end`, async () => {
    const { data } = await list(id)
    return data.filter(({ status }) => status !== 'sending').length === count && data
  })
}

function headersIn(sent: Record<string, string>) {
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Also to a URL that the API refuses. */
function moveTo(id: number, url: string, isRefused = false) {
  if (!isRefused) return world.call(changeWebhook, { token: world.admin, params: { id }, body: { url } })
  const ref = { ownerId: world.owner.id, id }
  return storeChange(unitOfWorkOn(world.table), ref, webhook => ({ ...webhook, url }))
}

describe('GET /api/v1/admin/webhooks/{id}/deliveries', () => {
  it('agrees with what the receiver recorded, for successes and each kind of failure', async () => {
    const recorder = await openRecorder()
    const events = ['post.published', 'post.updated']
    const { id } = await world.create.webhook(recorder.url('200'), { events })
    const post = await world.create.livePost()
    await ended(id, 1)
    const fine = { error: null, url: recorder.url('200'), arrives: true, isRefused: false }
    const codes = ERRORS.filter(code => code !== 'interrupted')
    const failing = codes.map(async error =>
      (await FAILURES[error](recorder.url)).map(failure => ({ isRefused: false, ...failure, error })),
    )
    const story = [fine, ...(await Promise.all(failing)).flat(), fine]
    for (const [n, { url, isRefused }] of story.entries()) {
      await moveTo(id, url, isRefused)
      const { headers } = await world.call(adminPosts.changePost, {
        token: world.admin,
        params: { id: post.id },
        body: { title: `Title ${n}` },
        headers: { 'X-Request-Id': `change-${n}` },
      })
      expect(headers.get('X-Request-Id')).toBe(`change-${n}`)
      await ended(id, n + 2)
    }
    const log = (await ended(id, story.length + 1)).toReversed().slice(1)
    const statusOf = ({ error }: { error: string | null }) => (error === null ? 'succeeded' : 'failed')
    expect(log.map(({ status, error }) => [status, error])).toEqual(
      story.map(step => [statusOf(step), step.error]),
    )
    expect(JSON.stringify(log)).not.toContain('127.0.0.1')
    const arrived = log.filter((_, n) => story[n]?.arrives).map(({ id }) => id)
    expect(recorder.recorded.slice(1).map(({ headers }) => `${headers['webhook-id']}.1`)).toEqual(arrived)
    for (const [n, delivery] of log.entries()) {
      const { error, url } = story[n] ?? fine
      expect(delivery).toMatchObject({
        event: 'post.updated',
        attempt: 1,
        trigger: 'event',
        request_id: `change-${n}`,
        resource: { type: 'post', id: post.id },
        error_detail: error === null ? null : expect.stringMatching(/^The .*\.$/),
      })
      const { request, response } = (await show(id, delivery.id)).data
      const got = recorder.recorded.find(({ headers }) => `${headers['webhook-id']}.1` === delivery.id)
      expect(request?.url).toBe(url)
      if (got) {
        const { signature, 'webhook-signature': standard, ...sent } = got.headers
        expect([signature, standard]).toEqual([expect.any(String), expect.any(String)])
        expect(request?.body).toBe(got.body)
        expect(headersIn(request?.headers ?? {})).toEqual(sent)
        // One id that the receiver has leads to the delivery and to the request that caused it.
        expect((await show(id, String(sent['webhook-id']))).data.request_id).toBe(sent['x-request-id'])
      }
      if (delivery.response_status === null) {
        expect(response).toBeNull()
      } else {
        expect(delivery.response_status).toBe(Number(got?.path))
        expect(response?.headers).toMatchObject(headersIn(FINE))
        expect(response?.body_start).toBe(`answer of ${got?.path}`)
      }
    }
  })
})

describe('GET /api/v1/admin/webhooks/{id}/deliveries/{delivery_id}', () => {
  it('shows a ping with a long answer: at most 2 kB of headers, and 1,024 bytes of the body', async () => {
    const recorder = await openRecorder()
    const { id } = await world.create.webhook(recorder.url('long'))
    await world.call(testWebhook, { token: world.admin, params: { id } })
    const [delivery] = (await list(id)).data
    expect(delivery).toMatchObject({ event: 'test.ping', trigger: 'ping', resource: { type: 'webhook', id } })
    const { response } = (await show(id, delivery?.id ?? '')).data
    expect(response?.body_start).toBe(recorder.long.slice(0, 1_024))
    expect(response?.headers).toMatchObject(headersIn(FINE))
  })

  it('shows the body of a delivery that came late for as long as the delivery', async () => {
    const recorder = await openRecorder()
    const { id } = await world.create.webhook(recorder.url('200'), { events: ['post.published'] })
    const moments = {
      active_since_ms: webhookKey(world.owner.id, id),
      admin_since_ms: userKey(world.owner.id),
    }
    for (const [name, Key] of Object.entries(moments)) {
      const UpdateExpression = `SET ${name} = :long_ago`
      await world.table.write({
        Update: { Key, UpdateExpression, ExpressionAttributeValues: { ':long_ago': 0 } },
      })
    }
    const event = newEvent({ happened_ms: Date.now() - 3_600_000 })
    await keepEvent(world.table, event, event.happened_ms)
    const sqs = new SQSClient(clientSettings(world.sqsEndpoint))
    const MessageBody = JSON.stringify({ subscriptions: [{ id, owner_id: world.owner.id }], event })
    await sqs.send(new SendMessageCommand({ QueueUrl: world.queueUrl('DeliveriesQueue'), MessageBody }))
    await ended(id, 1)
    const expiresOf = async (key: Key) =>
      (await world.table.find(key, z.object({ expires: z.int() })))?.expires ?? 0
    await until('the event to be kept longer', async () => {
      return (await expiresOf(eventKey(event.id))) >= (await expiresOf(deliveryKey(id, event.id)))
    })
    sqs.destroy()
  })

  it('returns 404 for a delivery of another subscription or owner, and for none', async () => {
    const recorder = await openRecorder()
    const { id } = await world.create.webhook(recorder.url('200'), { events: ['test.ping'] })
    const other = await world.create.webhook(recorder.url('200'), { events: ['test.ping'] })
    await world.call(testWebhook, { token: world.admin, params: { id } })
    const [delivery] = (await list(id)).data
    const { token } = await world.create.user({ abilities: ['admin'] })
    const mine = delivery?.id ?? ''
    expect((await show(id, mine)).status).toBe(200)
    const answers = await Promise.all([
      show(other.id, mine),
      show(id, mine, token),
      list(id, token),
      show(id, mine.replace(/1$/, '2')),
      show(id, 'nonsense'),
    ])
    expect(answers.map(({ status, code }) => [status, code])).toEqual(answers.map(() => [404, 'NOT_FOUND']))
  })
})
