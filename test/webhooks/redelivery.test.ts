// A delivery that is sent again: the same bytes, each asked attempt at most once, whatever dies in between.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { revokeTokens } from '../../shared/accounts/commands/tokens.ts'
import { deliveryKey, eventKey } from '../../shared/table/design.ts'
import { redeliver } from '../../shared/webhooks/commands/redeliver.ts'
import { getAttempt } from '../../shared/webhooks/store/log.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../support/queue.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { bodiesOf, useRedeliveries } from './redelivery-world.ts'
import { banOwner, countsOf, refOf, SECRET } from './subscriptions.ts'
import { isAccepted, signedIn } from './verify-delivery.ts'
import { DONE, MOMENTS } from './workers.ts'

const world = useRedeliveries()
const { workers, collecting, deliverAgain, open, logOf } = world

describe('a delivery that is sent again', () => {
  it('has the same bytes and webhook-id, a number, and signatures that libraries verify', async () => {
    const { webhook, id, moveTo } = await open()
    await moveTo({ url: world.recorder.url('200') })
    for (const attempt of [2, 3]) {
      const { work, messages } = collecting()
      const { data } = await redeliver(work, refOf(webhook), `${id}.${attempt - 1}`)
      expect(data).toMatchObject({ id: `${id}.${attempt}`, attempt, status: 'queued', trigger: 'redelivery' })
      expect(await deliverAgain(messages)).toEqual(DONE)
    }
    const [first, second, third] = world.recorder.recorded
    expect([second?.body, third?.body]).toEqual([first?.body, first?.body])
    expect(first?.headers).not.toHaveProperty('webhook-attempt')
    expect(second?.headers).toMatchObject({
      'webhook-id': id,
      'webhook-attempt': '2',
      'x-request-id': 'request-1',
    })
    expect(third?.headers).toMatchObject({ 'webhook-id': id, 'webhook-attempt': '3' })
    expect([second, third].map(sent => sent && isAccepted(SECRET, signedIn(sent)))).toEqual([true, true])
    expect((await logOf(webhook)).map(({ attempt, status }) => [attempt, status])).toEqual([
      [3, 'succeeded'],
      [2, 'succeeded'],
      [1, 'failed'],
    ])
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 3, failed: 1 })
    const nowMs = Date.now()
    const shown = await getAttempt(workers.table, { webhookId: webhook.id, id: `${id}.3`, nowMs })
    expect(shown.body).toBe(third?.body)
  })

  it('is sent once by repeated messages and by functions that get it together', async () => {
    const { webhook, id } = await open()
    const { work, messages } = collecting()
    await redeliver(work, refOf(webhook), id)
    await Promise.all(Array.from({ length: 4 }, () => deliverAgain([...messages, ...messages])))
    expect(await deliverAgain(messages)).toEqual(DONE)
    expect(world.recorder.recorded).toHaveLength(2)
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 2, failed: 2 })
  })

  it('is refused on its way, while the subscription is paused, and without its event', async () => {
    const { webhook, id, moveTo } = await open()
    const { work, messages } = collecting()
    const asked = await Promise.allSettled([1, 2, 3].map(() => redeliver(work, refOf(webhook), id)))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = asked.find(outcome => outcome.status === 'rejected')
    expect(refused).toMatchObject({ reason: { code: 'CONFLICT' } })
    await moveTo({ is_active: false })
    await expect(redeliver(work, refOf(webhook), id)).rejects.toMatchObject({
      fields: { is_active: [expect.stringContaining('paused')] },
    })
    // Paused since it was asked for: it fails without a request, and says why.
    await deliverAgain(messages)
    expect(world.recorder.recorded).toHaveLength(1)
    expect((await logOf(webhook))[0]).toMatchObject({
      status: 'failed',
      error_detail: expect.stringContaining('was not sent'),
    })
    await moveTo({ is_active: true })
    await redeliver(work, refOf(webhook), id)
    const other = await open()
    await workers.table.removeMany([eventKey(other.events[0]?.id ?? '')])
    await expect(redeliver(work, refOf(other.webhook), other.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('ends without a request if its event has left the log since it was asked for, and says so', async () => {
    const { webhook, id, events } = await open()
    const { work, messages } = collecting()
    await redeliver(work, refOf(webhook), id)
    await workers.table.removeMany([eventKey(events[0]?.id ?? '')])
    expect(await deliverAgain(messages)).toEqual(DONE)
    expect(world.recorder.recorded).toHaveLength(1)
    expect((await logOf(webhook))[0]).toMatchObject({
      status: 'failed',
      error_detail: expect.stringContaining('has left the log'),
    })
  })
})

describe('a delivery that is sent again for an owner who may not get it', () => {
  it.each([
    [
      'without a valid token',
      ({ owner_id }: WebhookRecord) => revokeTokens(unitOfWorkOn(workers.table), owner_id),
    ],
    ['who is banned', (webhook: WebhookRecord) => banOwner(workers.table, webhook)],
  ])('ends without a request for an owner %s, and says why', async (_who, suspend) => {
    const { webhook, id } = await open()
    const { work, messages } = collecting()
    await redeliver(work, refOf(webhook), id)
    await suspend(webhook)
    expect(await deliverAgain(messages)).toEqual(DONE)
    expect(world.recorder.recorded).toHaveLength(1)
    expect((await logOf(webhook))[0]).toMatchObject({
      status: 'failed',
      error_detail: expect.stringContaining('was not sent'),
    })
  })
})

describe('a function that dies', () => {
  it.each(MOMENTS)(
    'at $call (done: $isWritten) sends a redelivery at most once, and it ends',
    async ({ call, isWritten }) => {
      const { webhook, id } = await open()
      const { work, messages } = collecting()
      await redeliver(work, refOf(webhook), id)
      const batch = batchOf(...bodiesOf(messages, 'deliveries'))
      await workers.dieAt(call, isWritten, batch)
      const later = workers.openFunction()
      await later.deliverBatch(batch)
      later.advance(61_000)
      expect(await later.deliverBatch(batch)).toEqual(DONE)
      expect(world.recorder.recorded.length).toBeLessThanOrEqual(2)
      expect((await logOf(webhook))[0]?.status).toMatch(/succeeded|failed/)
      expect(await countsOf(workers.table, webhook)).toMatchObject({ total: 2 })
    },
  )
})

describe('the log', () => {
  const DAY_SECONDS = 86_400

  it('keeps an event for 30 days with its delivery, and both for 30 more from a redelivery on', async () => {
    const { webhook, events, id } = await open()
    const keys = [eventKey(events[0]?.id ?? ''), deliveryKey(webhook.id, events[0]?.id ?? '')]
    const daysLeft = async () => {
      const found = await Promise.all(
        keys.map(key => workers.table.find(key, z.object({ expires: z.int() }))),
      )
      return found.map(item => Math.round(((item?.expires ?? 0) - Date.now() / 1000) / DAY_SECONDS))
    }
    expect(await daysLeft()).toEqual([30, 30])
    const { work } = collecting()
    await redeliver({ ...work, nowMs: Date.now() + 20 * DAY_SECONDS * 1000 }, refOf(webhook), id)
    expect(await daysLeft()).toEqual([50, 50])
  })
})
