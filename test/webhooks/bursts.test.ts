// Subscriptions that collect events: one hook a burst, and what pauses, repetitions and faults do to it.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { withoutBan } from '../../shared/accounts/user.ts'
import { showChanges } from '../../shared/changes/store.ts'
import { commitPublicly } from '../../shared/feed/commit.ts'
import { CHANGES_PATH } from '../../shared/feed/position.ts'
import { cursorPlace } from '../../shared/lists/cursor.ts'
import { findBurst } from '../../shared/webhooks/commands/collect.ts'
import { redeliver } from '../../shared/webhooks/commands/redeliver.ts'
import { rotateSecret } from '../../shared/webhooks/commands/webhooks.ts'
import { deliveryDetail, idOf } from '../../shared/webhooks/delivery.ts'
import { getAttempt } from '../../shared/webhooks/store/log.ts'
import { webhookView } from '../../shared/webhooks/webhook.ts'
import { use } from '../support/use.ts'
import { openBurstWorld } from './burst-world.ts'
import { openRecorder } from './recording.ts'
import { banOwner, countsOf, refOf, remove, SECRET } from './subscriptions.ts'
import { isAccepted, signedIn, signerOf } from './verify-delivery.ts'
import { environment } from './workers.ts'

const QUIET = 30
const world = use(openBurstWorld)
let receiver: Awaited<ReturnType<typeof openRecorder>>
beforeEach(async () => {
  receiver = await openRecorder()
})
afterEach(() => world.removeAll())

const Batch = z.object({
  event: z.string(),
  occurred_at: z.string(),
  data: z.looseObject({ count: z.int(), cursor: z.string() }),
})

function batches() {
  return receiver.recorded.map(({ body }) => Batch.parse(JSON.parse(body)))
}

function counts() {
  return batches().map(({ data }) => data.count)
}

function open(wait: { quiet_seconds?: number; max_wait_seconds?: number } = {}) {
  return world.subscribe(receiver.url('200'), { quiet_seconds: QUIET, ...wait })
}

describe('a burst', () => {
  it('of 500 edits in 60 seconds is one POST, at most 2 seconds after the quiet time', async () => {
    const webhook = await open()
    const startMs = world.nowMs()
    for (let n = 0; n < 500; n++) {
      world.fire({ event: n === 0 ? 'post.published' : 'post.updated' })
      if (n % 10 === 9) await world.advance(1_200)
    }
    expect(receiver.recorded).toHaveLength(0)
    const lastMs = startMs + 49 * 1_200
    await world.advance(300_000)
    expect(counts()).toEqual([500])
    const [attempt] = await world.attempts(webhook)
    expect(attempt).toMatchObject({ status: 'succeeded', resource: { type: 'webhook', id: webhook.id } })
    expect(attempt?.attempted_ms).toBeGreaterThanOrEqual(lastMs + QUIET * 1000)
    expect(attempt?.attempted_ms).toBeLessThanOrEqual(lastMs + QUIET * 1000 + 2_000)
    expect(await countsOf(world.table, webhook)).toEqual({ total: 1, failed: 0 })
    expect(batches()[0]).toMatchObject({
      event: 'batch',
      occurred_at: '2026-05-26T12:00:58+00:00',
      data: {
        id: webhook.id,
        url: 'https://site.example',
        first_at: '2026-05-26T12:00:00+00:00',
        events: { 'post.published': 1, 'post.updated': 499 },
      },
    })
    expect(batches()[0]?.data.items).toHaveLength(100)
  }, 120_000)

  it('that never ends is a POST each max_wait_seconds', async () => {
    const webhook = await open({ max_wait_seconds: 60 })
    const startMs = world.nowMs()
    for (let n = 0; n < 40; n++) {
      world.fire()
      await world.advance(5_000)
    }
    await world.advance(120_000)
    expect(counts().reduce((sum, count) => sum + count, 0)).toBe(40)
    const waits = (await world.attempts(webhook)).map(({ attempted_ms }, n) => {
      const sentMs = (attempted_ms ?? 0) - startMs
      return Math.abs(sentMs - 60_000 * (n + 1)) <= 6_000
    })
    expect(waits.slice(0, -1)).toEqual(Array.from({ length: counts().length - 1 }, () => true))
  })

  it('is sent again with the same bytes, its body and headers included, and counted', async () => {
    const webhook = await world.subscribe(receiver.url('500'), {
      quiet_seconds: QUIET,
      headers: { Authorization: 'Bearer hidden', 'User-Agent': 'our site' },
      body: { ref: 'main', cursor: '{{cursor}}', all: '{{payload}}' },
    })
    world.fire()
    await world.advance(60_000)
    const [attempt] = await world.attempts(webhook)
    if (!attempt) throw new Error('Nothing is logged.')
    await world.change(webhook, { body: null })
    await redeliver(world.work(), refOf(webhook), idOf(attempt))
    await world.advance(1_000)
    const [first, second] = receiver.recorded
    expect(second?.body).toBe(first?.body)
    expect(JSON.parse(first?.body ?? '')).toMatchObject({ ref: 'main', all: { event: 'batch' } })
    expect(first?.headers).toMatchObject({ authorization: 'Bearer hidden', 'user-agent': 'our site' })
    expect(second?.headers).toMatchObject({ authorization: 'Bearer hidden', 'webhook-attempt': '2' })
    expect(await countsOf(world.table, webhook)).toEqual({ total: 2, failed: 2 })
    for (const logged of await world.attempts(webhook)) {
      const at = { webhookId: webhook.id, id: idOf(logged), nowMs: world.nowMs() }
      const found = await getAttempt(world.table, at)
      const shown = deliveryDetail(found.attempt, found.body)
      expect(shown.request?.body).toBe(first?.body)
      expect(shown.request?.headers).toMatchObject({
        Authorization: '(not shown)',
        'User-Agent': '(not shown)',
      })
      expect(JSON.stringify([logged, shown])).not.toContain('hidden')
    }
  })

  it('has a cursor from just before its first event', async () => {
    await open()
    const at = { table: world.table, nowMs: world.nowMs() }
    const cursorOf = cursorPlace('the key of cursors', { method: 'GET', path: CHANGES_PATH })
    await commitPublicly(world.table, [], { notes: [{ kind: 'settings' }] }, world.nowMs)
    await world.advance(1_000)
    await commitPublicly(world.table, [], { notes: [{ kind: 'menu', location: 'main' }] }, world.nowMs)
    world.fire()
    await world.advance(60_000)
    const since = batches()[0]?.data.cursor
    const { data } = await showChanges(
      { ...at, nowMs: world.nowMs(), cursorPlace: cursorOf },
      { since, limit: 10 },
    )
    expect(data.map(({ type }) => type)).toEqual(['menu'])
  })
})

describe('an event', () => {
  it('is counted once, also if its message comes again after its burst was sent, and the next one opens a burst', async () => {
    await open()
    const first = world.fire()
    world.sendAgain(first)
    await world.advance(QUIET * 1000)
    world.fire()
    world.sendAgain(first)
    await world.advance(60_000)
    world.sendAgain(first)
    await world.advance(60_000)
    expect(counts()).toEqual([1, 1])
  })

  it('is delivered once if its message comes again after quiet_seconds has changed', async () => {
    const webhook = await open()
    const collected = world.fire()
    await world.advance(1_000)
    await world.change(webhook, { quiet_seconds: 0 })
    world.sendAgain(collected)
    const alone = world.fire()
    await world.advance(1_000)
    await world.change(webhook, { quiet_seconds: QUIET })
    world.sendAgain(alone)
    await world.advance(60_000)
    expect(receiver.recorded.map(({ body }) => JSON.parse(body).event).sort()).toEqual([
      'batch',
      'post.published',
    ])
  })

  it('is delivered once if it was delivered alone before its subscription first collected', async () => {
    const webhook = await world.subscribe(receiver.url('200'), {})
    const alone = world.fire()
    await world.advance(1_000)
    await world.change(webhook, { quiet_seconds: QUIET })
    world.sendAgain(alone)
    await world.advance(60_000)
    expect(receiver.recorded).toHaveLength(1)
  })
})

describe('a subscription without bursts', () => {
  it('sends each event with its own body, and the log keeps it', async () => {
    const webhook = await world.subscribe(receiver.url('200'), { body: ['{{event}}', '{{count}}', '{{id}}'] })
    const { body } = world.fire()
    await world.advance(1_000)
    expect(receiver.recorded.map(({ body }) => body)).toEqual([
      `["post.published",1,${Object(body).data.id}]`,
    ])
    const [attempt] = await world.attempts(webhook)
    expect(attempt?.body).toBe(receiver.recorded[0]?.body)
  })

  it('costs no call and no unit more for them', async () => {
    await world.subscribe(receiver.url('200'), {})
    const deliver = () => {
      world.fire()
      return world.advance(1_000)
    }
    await deliver()
    // Subscriptions and event, subscription with its owner, claim, outcome with the count.
    const { used } = await world.measure(deliver)
    expect(used).toMatchObject({ calls: 5, readUnits: 4, writeUnits: 6 })
  })

  it('does not wait until another one of the same message has collected', async () => {
    const collecting = await open()
    await world.subscribe(receiver.url('200'), {})
    let sentMeanwhile = 0
    const stop = world.client.around(async (next, operation, input) => {
      if (operation === 'TransactWriteItems' && JSON.stringify(input).includes(`BURST#${collecting.id}`)) {
        await vi.waitFor(() => expect(receiver.recorded).toHaveLength(1), 2_000).catch(() => undefined)
        sentMeanwhile = receiver.recorded.length
      }
      return await next()
    })
    world.fire()
    await world.advance(1_000)
    stop()
    expect(sentMeanwhile).toBe(1)
  })

  it('writes nothing for them', async () => {
    const webhook = await world.subscribe(receiver.url('200'), { quiet_seconds: 0 })
    world.fire()
    await world.advance(1_000)
    expect(webhook.quiet_seconds).toBeUndefined()
    expect(Object.keys(webhookView(webhook))).toEqual([
      ...['id', 'name', 'url', 'events', 'is_active', 'total_deliveries', 'failed_deliveries'],
    ])
    const notes = (await world.dump()).filter(({ pk }) => pk === `BURST#${webhook.id}`)
    expect(notes).toEqual([])
  })
})

describe('what is collected', () => {
  it('is signed with the secret of the moment when it is sent', async () => {
    const webhook = await open()
    world.fire()
    await world.advance(1_000)
    const answer = await rotateSecret(world.work(), environment, refOf(webhook), 0)
    await world.advance(60_000)
    const [sent] = receiver.recorded
    const { secret } = answer.data
    expect(sent && signerOf(signedIn(sent), [SECRET, secret])).toBe(secret)
    expect(sent && isAccepted(secret, signedIn(sent))).toBe(true)
  })

  it('is dropped while its owner is banned, and goes on with what happens after the ban', async () => {
    const webhook = await open()
    world.fire()
    await world.advance(1_000)
    await banOwner(world.table, webhook)
    world.fire()
    await world.advance(60_000)
    expect(receiver.recorded).toHaveLength(0)
    await changeUser(world.table, webhook.owner_id, user => withoutBan(user, world.nowMs()))
    await world.advance(1_000)
    world.fire()
    await world.advance(60_000)
    expect(counts()).toEqual([1])
  })

  it('is dropped by a pause, also if the subscription is resumed before it was due', async () => {
    const webhook = await open()
    world.fire()
    await world.advance(1_000)
    await world.change(webhook, { is_active: false })
    await world.advance(1_000)
    await world.change(webhook, { is_active: true })
    await world.advance(60_000)
    expect(receiver.recorded).toHaveLength(0)
    world.fire()
    await world.advance(1_000)
    await world.change(webhook, { is_active: false })
    await world.change(webhook, { is_active: true })
    await world.advance(1_000)
    world.fire()
    await world.advance(90_000)
    expect(counts()).toEqual([1])
  })

  it('is dropped by a deletion', async () => {
    const webhook = await open()
    world.fire()
    await world.advance(1_000)
    await remove(world.table, webhook)
    await world.advance(90_000)
    expect(receiver.recorded).toHaveLength(0)
    expect(await findBurst(world.table, webhook.id)).toBeUndefined()
  })

  it('is sent although the message that closes it was lost, with the next event', async () => {
    await open()
    world.fire()
    await world.advance(0)
    world.loseMessages()
    await world.advance(3_600_000)
    world.fire()
    await world.advance(60_000)
    expect(counts()).toEqual([2])
  })
})
