import { describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { changeWebhook as storeChange } from '../../shared/webhooks/commands/webhooks.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { ERRORS } from '../../shared/webhooks/fields.ts'
import { FAILURES } from '../webhooks/failing-receivers.ts'
import { FINE, openRecorder } from '../webhooks/recording.ts'
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
