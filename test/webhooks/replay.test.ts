// A replay: failed deliveries are sent again, a hundred in a step that may be repeated.
import { describe, expect, it } from 'vitest'
import type { Message } from '../../shared/events/message.ts'
import { consume } from '../../shared/lambda/consume.ts'
import { withRuntime } from '../../shared/runtime/runtime.ts'
import type { Table } from '../../shared/table/client.ts'
import { findReplay, redeliverAll, stepReplay } from '../../shared/webhooks/commands/redeliver.ts'
import { REPLAY_STEP as STEP } from '../../shared/webhooks/fields.ts'
import { deliveryId } from '../../shared/webhooks/signed-request.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../support/queue.ts'
import { bodiesOf, useRedeliveries } from './redelivery-world.ts'
import { countsOf, refOf } from './subscriptions.ts'
import { DONE } from './workers.ts'

const world = useRedeliveries()
const { workers, collecting, deliverAgain, deliverEvents, open } = world
function since(): number {
  return Math.floor(Date.now() / 1000) - 60
}

/** Runs a step with a changed table. `sent` gets its messages, also those before a failure. */
async function runStep(message: Message, sent: Message[], changes: Partial<Table> = {}): Promise<boolean> {
  const sender = {
    send: async (all: Message[]) => {
      sent.push(...all)
      return all.map(() => ({ ok: true }))
    },
  }
  const run = consume('jobs', (body, job) =>
    'kind' in body && body.kind === 'replay' ? stepReplay(job, body) : Promise.resolve(),
  )
  const runtime = { ...workers, sender, table: { ...workers.table, ...changes } }
  return (await withRuntime(runtime, () => run(batchOf(message.body)))).batchItemFailures.length === 0
}

/** Dies at the nth call of the table, before or after it is done. */
function dyingTable(nth: number, isDone: boolean): Partial<Table> {
  let calls = 0
  const dying =
    <Args extends unknown[], T>(run: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      calls++
      if (calls < nth) return await run(...args)
      if (calls === nth && isDone) await run(...args)
      throw new Error('The function died.')
    }
  return { transact: dying(workers.table.transact), write: dying(workers.table.write) }
}

/** Works off a replay as the queues do. `tableOf` gives the table of each run of a step. */
async function workOff(
  webhook: WebhookRecord,
  messages: Message[],
  tableOf: (run: number) => Partial<Table> = () => ({}),
) {
  const steps = messages.filter(({ queue }) => queue === 'jobs')
  const deliveries: Message[] = []
  for (let run = 0; steps.length > 0; run++) {
    if (run > 100) throw new Error('The replay does not end.')
    const [message] = steps.splice(0, 1)
    if (!message) continue
    const sent: Message[] = []
    if (!(await runStep(message, sent, tableOf(run)))) steps.push(message)
    for (const each of sent) (each.queue === 'jobs' ? steps : deliveries).push(each)
    if (run % 2 === 0) expect(await deliverAgain(deliveries.splice(0))).toEqual(DONE)
  }
  expect(await deliverAgain(deliveries)).toEqual(DONE)
  expect(await findReplay(workers.table, webhook.id, Date.now())).toBeUndefined()
}

function idsIn(recorded: typeof world.recorder.recorded): string[] {
  return recorded.map(({ headers }) => String(headers['webhook-id']))
}

describe('a replay', () => {
  it('sends each failed delivery once more, a hundred at a time from the oldest on', async () => {
    const { webhook, ids, moveTo } = await open(STEP + 20)
    await moveTo({ url: world.recorder.url('200') })
    const [fine] = await deliverEvents(webhook, 1)
    world.recorder.recorded.splice(0)
    const { work, messages } = collecting()
    const { data } = await redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
    expect(data).toMatchObject({ matched: STEP + 20 })
    const again = redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' })
    await workOff(webhook, messages)
    const received = idsIn(world.recorder.recorded)
    expect(received.slice(0, STEP).toSorted()).toEqual(ids.slice(0, STEP).toSorted())
    expect(received.slice(STEP).toSorted()).toEqual(ids.slice(STEP).toSorted())
    expect(received).not.toContain(deliveryId({ event_id: fine?.id ?? '', webhook_id: webhook.id }))
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 2 * ids.length + 1, failed: ids.length })

    const ask = (choice: { since: number; status: 'failed' | 'all'; events?: ['post.published'] }) =>
      redeliverAll(collecting().work, refOf(webhook), choice)
    expect((await ask({ since: since() + 3_600, status: 'all' })).data.matched).toBe(0)
    expect((await ask({ since: since(), status: 'failed' })).data.matched).toBe(0)
    const all = await ask({ since: since(), status: 'all', events: ['post.published'] })
    expect(all.data.matched).toBe(ids.length + 1)
  })

  it.each([1, 3, 6, 9].flatMap(nth => [false, true].map(isDone => ({ nth, isDone }))))(
    'asks for each delivery once, though it fails again and a step dies at call $nth (done: $isDone)',
    async ({ nth, isDone }) => {
      const { webhook, ids } = await open(7)
      world.recorder.recorded.splice(0)
      const { work, messages } = collecting()
      await redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
      const twice = [...messages, ...messages]
      await workOff(webhook, twice, run => (run === 0 ? dyingTable(nth, isDone) : {}))
      expect(idsIn(world.recorder.recorded).toSorted()).toEqual(ids.toSorted())
      expect(world.recorder.recorded.map(({ headers }) => headers['webhook-attempt'])).toEqual(
        ids.map(() => '2'),
      )
    },
  )

  it('pauses between its steps, so that other deliveries come in between', async () => {
    const { webhook } = await open(STEP + 1)
    const { work, messages } = collecting()
    await redeliverAll(work, refOf(webhook), { since: since(), status: 'failed' })
    const sent: Message[] = []
    for (const message of messages) await runStep(message, sent)
    expect(bodiesOf(sent, 'deliveries')).toHaveLength(STEP / 25)
    expect(sent.at(-1)).toMatchObject({ queue: 'jobs', delaySeconds: 5 })
  })

  it('is refused while another one runs with two reads, however many deliveries there are', async () => {
    const { webhook } = await open(20)
    const ask = () => redeliverAll(collecting().work, refOf(webhook), { since: since(), status: 'failed' })
    await ask()
    const refused = await workers.measure(() => expect(ask()).rejects.toMatchObject({ code: 'CONFLICT' }))
    expect(refused.used).toMatchObject({ calls: 2, readUnits: 2, writeUnits: 0 })
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
