// A replay: failed deliveries are sent again together, in steps that may be repeated.
import { beforeEach, describe, expect, it } from 'vitest'
import { DeliveriesMessage, type Message, RedeliveryMessage } from '../../shared/events/message.ts'
import { consume } from '../../shared/lambda/consume.ts'
import { redeliverAll } from '../../shared/webhooks/commands/redeliver.ts'
import { stepReplay } from '../../shared/webhooks/commands/replay.ts'
import { deliveryId } from '../../shared/webhooks/delivery.ts'
import { WINDOW } from '../../shared/webhooks/fields.ts'
import { findReplay, listChosen } from '../../shared/webhooks/store/replays.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { bodiesOf, refOf, useRedeliveries } from './redelivery-world.ts'
import { countsOf, newEvent, subscribe } from './subscriptions.ts'

const world = useRedeliveries()
const { workers, collecting, deliverAgain, deliverEvents, open } = world

/** The message without subscriptions of other tests. */
function onlyTo(webhooks: WebhookRecord[], body: object): DeliveriesMessage {
  const ids = new Set(webhooks.map(({ id }) => id))
  const { event, subscriptions } = DeliveriesMessage.parse(body)
  return { event, subscriptions: subscriptions.filter(({ id }) => ids.has(id)) }
}

describe('a replay', () => {
  const since = () => Math.floor(Date.now() / 1000) - 60

  /** Of the functions that take steps: it moves on by the delays of their messages. */
  let clockMs = Date.now()
  beforeEach(() => {
    clockMs = Date.now()
  })

  /** Runs the step of a message. Returns the messages that it sends. */
  async function runStep(message: Message): Promise<Message[]> {
    const { work, messages: sent } = collecting()
    const sender = {
      send: async (all: Message[]) => {
        sent.push(...all)
        return all.map(() => ({ ok: true }))
      },
    }
    const run = consume(
      'jobs',
      (body, job) =>
        'kind' in body && body.kind === 'replay'
          ? stepReplay({ ...job, work, sender }, body)
          : Promise.resolve(),
      { openRuntime: () => ({ ...workers, sender, clock: () => clockMs }) },
    )
    await run(batchOf(message.body))
    return sent
  }

  /** Works off a replay as the queues do; `dies` decides whether a function dies after its commit. */
  async function workOff(webhook: WebhookRecord, messages: Message[], dies: () => boolean = () => false) {
    const stepMessages = messages.filter(({ queue }) => queue === 'jobs')
    const waiting: Message[] = []
    for (let step = 0; stepMessages.length > 0 || waiting.length > 0; step++) {
      if (step > 500) throw new Error('The replay does not end.')
      const message = stepMessages.shift()
      if (!message) {
        await deliverAgain(waiting.splice(0))
        continue
      }
      clockMs += (message.delaySeconds ?? 0) * 1000
      for (const each of await runStep(message)) (each.queue === 'jobs' ? stepMessages : waiting).push(each)
      if (dies()) stepMessages.push(message)
      if (stepMessages.length > 0 && waiting.length > 0) await deliverAgain(waiting.splice(0))
    }
    expect(await findReplay(workers.table, webhook.id, Date.now())).toBeUndefined()
  }

  it('sends each failed delivery once more, oldest first, though each step is repeated', async () => {
    const { webhook, ids, moveTo } = await open(60)
    await moveTo({ url: world.recorder.url('200') })
    const [fine] = await deliverEvents(webhook, 1)
    world.recorder.recorded.splice(0)
    const { work, messages } = collecting()
    const { data } = await redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
    expect(data).toMatchObject({ matched: 60 })
    const again = redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' })
    let n = 0
    await workOff(webhook, messages, () => n++ % 2 === 0)
    const received = world.recorder.recorded.map(({ headers }) => String(headers['webhook-id']))
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

  it('has five deliveries in the queue, however often its steps run, and takes a step a second at most', async () => {
    const { webhook } = await open(25)
    const { work, messages } = collecting()
    await redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
    let stepMessages = messages.filter(({ queue }) => queue === 'jobs')
    const queued = new Set<string>()
    for (let run = 0; run < 4; run++) {
      const sent = (await Promise.all([...stepMessages, ...stepMessages].map(runStep))).flat()
      for (const body of bodiesOf(sent, 'deliveries')) {
        for (const { sk } of RedeliveryMessage.parse(body).attempts) queued.add(sk)
      }
      const next = sent.filter(({ queue }) => queue === 'jobs')
      for (const { delaySeconds } of next) expect(delaySeconds).toBeGreaterThanOrEqual(1)
      clockMs += 1_000
      stepMessages = [...stepMessages, ...sent.filter(({ queue }) => queue === 'jobs')].slice(0, 4)
    }
    expect(queued.size).toBe(WINDOW)
  })

  it('shares one window with those of 99 other owners, and few of them look in vain', async () => {
    const webhooks: WebhookRecord[] = []
    while (webhooks.length < 100) webhooks.push(await subscribe(workers.table, world.recorder.url('500')))
    const events = [newEvent(), newEvent()]
    for (const event of events) {
      const own = (await workers.openFunction().fanOut(event)).map(({ body }) => body)
      await workers.openFunction().deliverBatch(batchOf(...own.map(body => onlyTo(webhooks, body))))
    }
    expect(world.recorder.recorded).toHaveLength(200)
    const due: { atMs: number; message: Message }[] = []
    const put = (message: Message) =>
      due.push({ atMs: clockMs + (message.delaySeconds ?? 0) * 1000, message })
    for (const webhook of webhooks) {
      const { work, messages } = collecting()
      await redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
      for (const message of messages) put(message)
    }
    const startMs = clockMs
    let [runs, steps] = [0, 0]
    const flying: Message[] = []
    for (let next = due.shift(); next; next = due.sort((a, b) => a.atMs - b.atMs).shift()) {
      clockMs = Math.max(clockMs, next.atMs)
      for (const message of await runStep(next.message)) {
        if (message.queue === 'jobs') {
          put(message)
        } else {
          flying.push(message)
          steps++
        }
      }
      const inFlight = bodiesOf(flying, 'deliveries').map(
        body => RedeliveryMessage.parse(body).attempts.length,
      )
      expect(inFlight.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(WINDOW)
      // They end while the next replay looks whether it is its turn.
      if (++runs % 2 === 0) await deliverAgain(flying.splice(0))
    }
    expect(world.recorder.recorded).toHaveLength(400)
    expect(steps).toBe(100)
    expect(clockMs - startMs).toBeGreaterThanOrEqual(99 * 500)
    expect(runs).toBeLessThan(6 * steps)
  })

  it('reads few more records in a step than it sends again, however many follow', async () => {
    const { webhook, events } = await open(60)
    const choice = { since: since(), until: since() + 3_600, status: 'failed', events: null } as const
    const span = { webhookId: webhook.id, choice, position: '', nowMs: Date.now() }
    const unitsFor = async (most: number) => {
      const { result, used } = await workers.measure(() => listChosen(workers.table, span, most))
      expect(result.firsts).toHaveLength(most)
      return used.readUnits
    }
    expect(await unitsFor(WINDOW)).toBeLessThan((await unitsFor(60)) / 2)

    const none = { ...span, choice: { ...choice, events: ['post.deleted'] } }
    expect(await listChosen(workers.table, none, WINDOW)).toMatchObject({ firsts: [], isEnd: true })
    const met: string[] = []
    for (let [position, isEnd] = ['', false]; !isEnd; ) {
      const chosen = await listChosen(workers.table, { ...span, position }, 7)
      met.push(...chosen.firsts.map(({ event_id }) => event_id))
      ;({ position, isEnd } = chosen)
    }
    expect(met).toEqual(events.map(({ id }) => id))
  })

  it('is refused while another one runs with two reads, however many deliveries there are', async () => {
    const { webhook } = await open(60)
    const ask = () => redeliverAll(collecting().work, refOf(webhook), { since: since(), status: 'failed' })
    const accepted = await workers.measure(ask)
    const refused = await workers.measure(() => expect(ask()).rejects.toMatchObject({ code: 'CONFLICT' }))
    expect(refused.used).toMatchObject({ calls: 2, readUnits: 2, writeUnits: 0 })
    expect(accepted.used.readUnits).toBeGreaterThan(10 * refused.used.readUnits)
  })

  it('ends with a pause of the subscription', async () => {
    const { webhook, moveTo } = await open(3)
    const { work, messages } = collecting()
    await redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
    await moveTo({ is_active: false })
    await workOff(webhook, messages)
    expect(world.recorder.recorded).toHaveLength(3)
  })
})
