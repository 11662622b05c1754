// The log of deliveries: its list, what it agrees with, sending again, and the mail about failures.
import { beforeAll, describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { claim } from '../../shared/webhooks/commands/deliver.ts'
import { finalise } from '../../shared/webhooks/commands/finalise.ts'
import { changeWebhook as storeChange } from '../../shared/webhooks/commands/webhooks.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { firstAttempt, INTERRUPTED, sentEvent } from '../../shared/webhooks/delivery.ts'
import { ERRORS } from '../../shared/webhooks/fields.ts'
import { until } from '../support/until.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { useWorld } from '../support/world.ts'
import { FAILURES } from '../webhooks/failing-receivers.ts'
import { FINE, openRecorder } from '../webhooks/recording.ts'
import { newEvent } from '../webhooks/subscriptions.ts'

const world = useWorld()

const { listDeliveries, getDelivery, testWebhook, changeWebhook, getWebhook, redeliverAll } = adminWebhooks

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
      show(id, 'toString'),
    ])
    expect(answers.map(({ status, code }) => [status, code])).toEqual(answers.map(() => [404, 'NOT_FOUND']))
  })
})

function page(id: number, query: Record<string, string | number>) {
  return world.call(listDeliveries, { token: world.admin, params: { id }, query })
}

describe('GET /api/v1/admin/webhooks/{id}/deliveries with 30 deliveries', () => {
  let id: number
  const seconds = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString()
  beforeAll(async () => {
    const created = await world.create.webhook('https://hooks.example/', { events: ['test.ping'] })
    id = created.id
    for (let n = 0; n < 30; n++) {
      const event = newEvent({
        happened_ms: Date.parse(seconds(n)),
        event: n % 3 === 0 ? 'post.published' : 'post.deleted',
      })
      const ref = firstAttempt({ id, owner_id: world.owner.id }, event.id)
      const nowMs = Date.now()
      await claim({ table: world.table, nowMs }, ref, { ...sentEvent(event), expires: nowMs })
      if (n % 2 === 0) await finalise(world.table, { ref, outcome: INTERRUPTED, nowMs })
    }
  })

  const secondsIn = (data: { occurred_at: string }[]) =>
    data.map(({ occurred_at }) => Number(occurred_at.slice(17, 19)))
  const down = (from: number) => Array.from({ length: from + 1 }, (_, n) => from - n)

  it('lists them newest first, and walks through them by cursor', async () => {
    const seen: number[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const part = await page(id, { limit: 10, ...(after && { after }) })
      expect(part.data).toHaveLength(10)
      seen.push(...secondsIn(part.data))
      after = part.cursor.next
    }
    expect(seen).toEqual(down(29))
  })

  it('filters by status, event and time, also together and across pages', async () => {
    const failed = await page(id, { status: 'failed' })
    expect(secondsIn(failed.data)).toEqual(down(29).filter(n => n % 2 === 0))
    expect(failed.cursor.next).toBeNull()
    const between = await page(id, { since: seconds(10), until: seconds(20) })
    expect(secondsIn(between.data)).toEqual(down(29).filter(n => n >= 10 && n <= 20))
    const query = { status: 'failed', event: 'post.published', since: seconds(1), limit: 3 }
    const first = await page(id, query)
    expect(secondsIn(first.data)).toEqual([24, 18, 12])
    const second = await page(id, { ...query, after: String(first.cursor.next) })
    expect(secondsIn(second.data)).toEqual([6])
    expect(second.cursor.next).toBeNull()
  })

  it('returns 422 for a cursor of another list or of other filters, and for what does not exist', async () => {
    const { cursor } = await page(id, { limit: 10 })
    const other = await world.create.webhook('https://hooks.example/', { events: ['test.ping'] })
    const faults = await Promise.all([
      page(id, { after: String(cursor.next), status: 'failed' }),
      page(other.id, { after: String(cursor.next) }),
      page(id, { after: 'nonsense' }),
      page(id, { status: 'lost' }),
      page(id, { event: 'post.liked' }),
      page(id, { since: 'soon' }),
    ])
    expect(faults.map(({ status }) => status)).toEqual(faults.map(() => 422))
    const named = faults.map(({ fields }) => Object.keys(fields ?? {}).join())
    expect(named).toEqual(['after', 'after', 'after', 'status', 'event', 'since'])
  })
})

const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString()

describe('POST /api/v1/admin/webhooks/{id}/redeliver', () => {
  it('sends all failed deliveries again, and only those', async () => {
    const recorder = await openRecorder()
    const { id } = await world.create.webhook(recorder.url('500'), { events: ['post.published'] })
    for (let n = 0; n < 3; n++) await world.create.livePost()
    await ended(id, 3)
    await moveTo(id, recorder.url('long'))
    const asAdmin = { token: world.admin, params: { id } }
    await world.call(testWebhook, asAdmin)
    const { status, data } = await world.call(redeliverAll, { ...asAdmin, body: { since: HOUR_AGO } })
    expect([status, data.matched]).toEqual([202, 3])
    const all = await until('the redeliveries to end', async () => {
      const { data } = await list(id)
      return (
        data.length === 7 && data.every(({ status }) => status === 'succeeded' || status === 'failed') && data
      )
    })
    expect(all.slice(0, 3).map(({ attempt, status }) => [attempt, status])).toEqual(
      Array(3).fill([2, 'succeeded']),
    )
    const ids = recorder.recorded.map(({ headers }) => headers['webhook-id'])
    expect(ids.slice(4).toSorted()).toEqual(ids.slice(0, 3).toSorted())
    // The next one lasts until the receiver's time-out.
    await moveTo(id, recorder.url('hang'))
    const body = { since: HOUR_AGO, status: 'all' }
    const again = () => world.call(redeliverAll, { ...asAdmin, body })
    const [started, refused] = await until('the end of the first one', async () => {
      const both = (await Promise.all([again(), again()])).toSorted((a, b) => a.status - b.status)
      return both.some(({ status }) => status === 202) && both
    })
    expect([started?.data.matched, refused?.status, refused?.code]).toEqual([4, 409, 'CONFLICT'])
  })
})

describe('a subscription whose last 20 deliveries failed', () => {
  it('is reported to its owner by a mail, with the last error and how to look it up', async () => {
    const recorder = await openRecorder()
    const { token, email } = await world.create.user({ abilities: ['admin'] })
    const { id } = await world.create.webhook(recorder.url('500'), { events: ['post.published'] }, token)
    for (let n = 0; n < 19; n++) await world.call(testWebhook, { token, params: { id } })
    await world.create.livePost()
    const mail = await world.mailTo(email)
    expect(mail.subject).toBe(`Deliveries to your webhook ${id} fail`)
    expect(mail.text).toContain('The receiver answered 500.')
    expect(mail.text).toContain(`GET /api/v1/admin/webhooks/${id}/deliveries?status=failed`)
    const { recent } = (await world.call(getWebhook, { token, params: { id } })).data
    expect(recent).toEqual({ succeeded: 0, failed: 20 })
  })
})
