// Redelivery: the same bytes again, each asked attempt at most once, whatever dies in between.
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Message } from '../../shared/events/message.ts'
import { consume } from '../../shared/lambda/consume.ts'
import { redeliver, redeliverAll } from '../../shared/webhooks/commands/redeliver.ts'
import { stepReplay } from '../../shared/webhooks/commands/replay.ts'
import { changeWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { deliveryId } from '../../shared/webhooks/delivery.ts'
import { WINDOW } from '../../shared/webhooks/replay.ts'
import { getAttempt, listAttempts } from '../../shared/webhooks/store/log.ts'
import { findReplay } from '../../shared/webhooks/store/replays.ts'
import { changedWebhook, type WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { use } from '../world/use.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { DONE } from './message-world.ts'
import { openRecorder } from './recording.ts'
import { countsOf, newEvent, SECRET, subscribe } from './subscriptions.ts'
import { startWorkers } from './workers.ts'

const workers = use(startWorkers)
let recorder: Awaited<ReturnType<typeof openRecorder>>
beforeEach(async () => {
  recorder = await openRecorder()
})

function refOf({ owner_id, id }: WebhookRecord) {
  return { ownerId: owner_id, id }
}

/** A unit of work whose messages are returned, and not sent. */
function collecting() {
  const messages: Message[] = []
  const work = unitOfWorkOn(workers.table)
  const commit: typeof work.commit = (change, answer) => {
    messages.push(...(change.messages ?? []))
    return work.commit(change, answer)
  }
  return { work: { ...work, commit }, messages }
}

function deliverAgain(messages: Message[]) {
  return workers.openFunction().deliverBatch(batchOf(...bodiesOf(messages, 'deliveries')))
}

function bodiesOf(messages: Message[], queue: string) {
  return messages.filter(message => message.queue === queue).map(({ body }) => body)
}

/** Delivers new events to the path, one after the other. */
async function deliverEvents(webhook: WebhookRecord, count: number) {
  const { fanOut, deliverBatch } = workers.openFunction()
  const first = Date.now() - 1_000
  const events = Array.from({ length: count }, (_, n) => newEvent({ happened_ms: first + n }))
  for (const event of events) {
    const sent = await fanOut(event)
    const own = sent.filter(
      ({ body }) => 'subscriptions' in body && body.subscriptions.some(({ id }) => id === webhook.id),
    )
    await deliverBatch(batchOf(...own.map(({ body }) => ({ ...body, subscriptions: [refTo(webhook)] }))))
  }
  return events
}

function refTo({ id, owner_id }: WebhookRecord) {
  return { id, owner_id }
}

async function open(count = 1, path = '500') {
  const webhook = await subscribe(workers.table, recorder.url(path), { sinceMs: Date.now() - 60_000 })
  const events = await deliverEvents(webhook, count)
  const ids = events.map(({ id: event_id }) => deliveryId({ event_id, webhook_id: webhook.id }))
  const moveTo = (to: { url?: string; is_active?: boolean }) =>
    changeWebhook(unitOfWorkOn(workers.table), refOf(webhook), read => changedWebhook(read, to, Date.now()))
  return { webhook, events, ids, id: ids[0] ?? '', moveTo }
}

async function logOf({ id }: WebhookRecord) {
  return (await listAttempts(workers.table, { webhookId: id, nowMs: Date.now(), limit: 1_000 })).attempts
}

describe('a delivery that is sent again', () => {
  it('has the same bytes and webhook-id, a number, and signatures that libraries verify', async () => {
    const { webhook, id, moveTo } = await open()
    await moveTo({ url: recorder.url('200') })
    for (const attempt of [2, 3]) {
      const { work, messages } = collecting()
      const { data } = await redeliver(work, refOf(webhook), `${id}.${attempt - 1}`)
      expect(data).toMatchObject({ id: `${id}.${attempt}`, attempt, status: 'queued', trigger: 'redelivery' })
      expect(await deliverAgain(messages)).toEqual(DONE)
    }
    const [first, second, third] = recorder.recorded
    expect([second?.body, third?.body]).toEqual([first?.body, first?.body])
    expect(first?.headers).not.toHaveProperty('webhook-attempt')
    expect(second?.headers).toMatchObject({
      'webhook-id': id,
      'webhook-attempt': '2',
      'x-request-id': 'request-1',
    })
    expect(third?.headers).toMatchObject({ 'webhook-id': id, 'webhook-attempt': '3' })
    for (const { body = '', headers = {} } of [second ?? {}, third ?? {}]) {
      const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      new StandardWebhook(SECRET).verify(body, signed)
      new SvixWebhook(SECRET).verify(body, signed)
    }
    expect((await logOf(webhook)).map(({ attempt, status }) => [attempt, status])).toEqual([
      [3, 'succeeded'],
      [2, 'succeeded'],
      [1, 'failed'],
    ])
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 3, failed: 1 })
    const nowMs = Date.now()
    const shown = await getAttempt(workers.table, { webhookId: webhook.id, id: `${id}.3`, nowMs })
    expect(Buffer.from(shown.body ?? []).toString()).toBe(third?.body)
  })

  it('is sent once by repeated messages and by functions that get it together', async () => {
    const { webhook, id } = await open()
    const { work, messages } = collecting()
    await redeliver(work, refOf(webhook), id)
    await Promise.all(Array.from({ length: 4 }, () => deliverAgain([...messages, ...messages])))
    expect(await deliverAgain(messages)).toEqual(DONE)
    expect(recorder.recorded).toHaveLength(2)
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 2, failed: 2 })
  })

  it('is refused on its way, while the subscription is paused, and without its event', async () => {
    const { webhook, id, events, moveTo } = await open()
    const { work, messages } = collecting()
    const asked = await Promise.allSettled([1, 2, 3].map(() => redeliver(work, refOf(webhook), id)))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = asked.find(outcome => outcome.status === 'rejected')
    expect(refused).toMatchObject({ reason: { code: 'CONFLICT' } })
    await moveTo({ is_active: false })
    await expect(redeliver(work, refOf(webhook), id)).rejects.toMatchObject({
      fields: { is_active: [/paused/] },
    })
    // Paused since it was asked for: it fails without a request, and says why.
    await deliverAgain(messages)
    expect(recorder.recorded).toHaveLength(1)
    expect((await logOf(webhook))[0]).toMatchObject({ status: 'failed', error_detail: /was not sent/ })
    await moveTo({ is_active: true })
    await redeliver(work, refOf(webhook), id)
    await workers.table.removeMany([{ pk: `EVENT#${events[0]?.id}`, sk: 'EVENT' }])
    const other = await open()
    await workers.table.removeMany([{ pk: `EVENT#${other.events[0]?.id}`, sk: 'EVENT' }])
    await expect(redeliver(work, refOf(other.webhook), other.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('a function that dies', () => {
  const CALLS = ['write', 'transact'] as const
  const moments = CALLS.flatMap(call => [false, true].map(isWritten => ({ call, isWritten })))

  it.each(moments)(
    'at $call (done: $isWritten) sends a redelivery at most once, and it ends',
    async moment => {
      const { webhook, id } = await open()
      const { work, messages } = collecting()
      await redeliver(work, refOf(webhook), id)
      const { table } = workers
      let died = () => {}
      const isDead = new Promise<void>(resolve => {
        died = resolve
      })
      const dying = async (run: () => Promise<unknown>): Promise<never> => {
        if (moment.isWritten) await run()
        died()
        return await new Promise<never>(() => {})
      }
      const changes = {
        write: (...args: Parameters<typeof table.write>) => dying(() => table.write(...args)),
        transact: (...args: Parameters<typeof table.transact>) => dying(() => table.transact(...args)),
      }
      const batch = batchOf(...bodiesOf(messages, 'deliveries'))
      void workers.openFunction({ [moment.call]: changes[moment.call] }).deliverBatch(batch)
      await isDead
      const later = workers.openFunction()
      await later.deliverBatch(batch)
      later.advance(61_000)
      expect(await later.deliverBatch(batch)).toEqual(DONE)
      expect(recorder.recorded.length).toBeLessThanOrEqual(2)
      expect((await logOf(webhook))[0]?.status).toMatch(/succeeded|failed/)
      expect(await countsOf(table, webhook)).toMatchObject({ total: 2 })
    },
  )
})

describe('a replay', () => {
  const since = () => Math.floor(Date.now() / 1000) - 60

  /** Works off a replay as the queues do; `dies` decides whether a function dies after its commit. */
  async function workOff(webhook: WebhookRecord, messages: Message[], dies: () => boolean = () => false) {
    const tidy: Message[] = messages.filter(({ queue }) => queue === 'tidy')
    const waiting: Message[] = []
    for (let step = 0; tidy.length > 0 || waiting.length > 0; step++) {
      if (step > 500) throw new Error('The replay does not end.')
      const message = tidy.shift()
      if (!message) {
        await deliverAgain(waiting.splice(0))
        continue
      }
      const sender = {
        send: async (all: Message[]) => {
          for (const each of all) (each.queue === 'tidy' ? tidy : waiting).push(each)
          return all.map(() => ({ ok: true }))
        },
      }
      const { work, messages: sent } = collecting()
      const run = consume(
        'tidy',
        (body, job) =>
          body.kind === 'replay' ? stepReplay({ ...job, work, sender }, body) : Promise.resolve(),
        () => ({ ...workers, sender }),
      )
      await run(batchOf(message.body))
      for (const each of sent) (each.queue === 'tidy' ? tidy : waiting).push(each)
      if (dies()) tidy.push(message)
      if (tidy.length > 0 && waiting.length > 0) await deliverAgain(waiting.splice(0))
    }
    expect(await findReplay(workers.table, webhook.id, Date.now())).toBeUndefined()
  }

  it('sends each failed delivery once more, oldest first, though each step is repeated', async () => {
    const { webhook, ids, moveTo } = await open(60)
    await moveTo({ url: recorder.url('200') })
    const [fine] = await deliverEvents(webhook, 1)
    recorder.recorded.splice(0)
    const { work, messages } = collecting()
    const { data } = await redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
    expect(data).toMatchObject({ matched: 60 })
    const again = redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' })
    let n = 0
    await workOff(webhook, messages, () => n++ % 2 === 0)
    const received = recorder.recorded.map(({ headers }) => String(headers['webhook-id']))
    expect(received.toSorted()).toEqual(ids.toSorted())
    expect(received).not.toContain(deliveryId({ event_id: fine?.id ?? '', webhook_id: webhook.id }))
    // Each step is older than the next one.
    for (let n = 0; n < ids.length; n += WINDOW) {
      expect(received.slice(n, n + WINDOW).toSorted()).toEqual(ids.slice(n, n + WINDOW).toSorted())
    }
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 121, failed: 60 })

    const later = await redeliverAll(work, refOf(webhook), { since: since() + 3_600, status: 'all' })
    expect(later.data.matched).toBe(0)
    const none = await redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
    expect(none.data.matched).toBe(0)
    const all = await redeliverAll(work, refOf(webhook), {
      since: since(),
      status: 'all',
      events: ['post.published'],
    })
    expect(all.data.matched).toBe(61)
  })

  it('ends with a pause of the subscription', async () => {
    const { webhook, moveTo } = await open(3)
    const { work, messages } = collecting()
    await redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
    await moveTo({ is_active: false })
    await workOff(webhook, messages)
    expect(recorder.recorded).toHaveLength(3)
  })
})
