// `kill -9` of the whole service, again and again at random moments under writing clients: nothing that was answered is
// lost, nothing is delivered twice, every delivery is accounted for, and the doctor finds nothing.

import { setTimeout as pause } from 'node:timers/promises'
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { describe, expect, it } from 'vitest'
import { operate } from '../../infra/operator/operate.ts'
import { openStateTarget, type Target } from '../../infra/operator/target.ts'
import { QUEUE_NAMES } from '../../shared/events/message.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { randomOf } from '../bench/random.ts'
import { openState, startProcess } from '../process/service.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { dumpOf } from '../world/table.ts'
import { until } from '../world/until.ts'
import { openWriter, type Writer } from './writer.ts'

const KILLS = Number(process.env.KILLS ?? 50)
const CLIENTS = 8
const LONGEST_LIFE_MS = 1_500
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

describe(`${KILLS} times kill -9 under ${CLIENTS} writing clients`, () => {
  it('loses nothing that was answered, delivers nothing twice, and leaves no drift', async () => {
    console.info(`seed ${seed} (run again with SEED=${seed}; the moments of the machine are its own)`)
    const random = randomOf(seed, 0)
    const state = await openState()
    const subscriber = await openSubscriber()
    const writers = Array.from({ length: CLIENTS }, (_, n) =>
      openWriter(`Client ${n}`, randomOf(seed, n + 1)),
    )

    const answered = () => writers.reduce((sum, one) => sum + one.answered(), 0)
    let service = await startProcess(state)
    await service.call(adminWebhooks.createWebhook, {
      token: service.token,
      body: { name: 'soak', url: subscriber.url, events: ['*'] },
    })
    for (let kill = 1; kill <= KILLS; kill++) {
      const { call, token } = service
      let isOver = false
      const working = writers.map(async writer => {
        while (!isOver) await writer.act({ call, token })
      })
      // Most lives go on for a while after the first answer; some end in the middle of the start.
      const enough = answered() + (random.below(4) === 0 ? 0 : 1)
      await until('an answer', () => answered() >= enough, 60_000)
      await pause(random.below(LONGEST_LIFE_MS))
      isOver = true
      await service.kill()
      await Promise.all(working)
      service = await startProcess(state)
      if (kill % 10 === 0) console.info(`${kill} kills, ${subscriber.received.length} deliveries`)
    }

    const target = await openStateTarget(state, () => undefined)
    await until('all that was left behind to be done', () => isDone(target), 300_000)
    for (const writer of writers) await expectKept(service, writer)
    const sent = subscriber.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(sent).size).toBe(sent.length)
    const ended = await expectAccounted(target, sent)
    expect(await doctor(target)).toBe(0)
    const sumOf = (count: (writer: Writer) => number) => writers.reduce((sum, one) => sum + count(one), 0)
    const [told, unanswered] = [sumOf(one => one.told()), sumOf(one => one.unanswered())]
    // Each act that was answered was told of once, and of those without an answer each at most once.
    expect(ended).toBeGreaterThanOrEqual(told)
    expect(ended).toBeLessThanOrEqual(told + unanswered)
    console.info(`${told} answered acts to tell of, ${unanswered} acts without an answer,`)
    console.info(`${ended} deliveries ended, of which ${sent.length} arrived`)
  })
})

/** What was answered last is there; of an act without an answer, either what was or what it made of it. */
async function expectKept({ call, token }: Awaited<ReturnType<typeof startProcess>>, { known }: Writer) {
  for (const [id, { post, isSure }] of known) {
    const { status, data } = await call(adminPosts.getPost, { token, params: { id } }).then(answer => ({
      status: answer.status,
      data: answer.status === 200 ? answer.data : undefined,
    }))
    if (isSure) {
      expect([id, status, data]).toEqual([id, post ? 200 : 404, post])
    } else if (data) {
      expect([id, data.version - (post?.version ?? 0)]).toEqual([id, expect.toBeOneOf([0, 1])])
    }
  }
}

/** Nothing in the queues nor the outbox, and no delivery under way: those that broke off end with their lease. */
async function isDone({ sqs, queueUrls, documents, tableName }: Target): Promise<boolean> {
  const waiting = await Promise.all(
    QUEUE_NAMES.map(async name => {
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: queueUrls(name).url, AttributeNames: ['All'] }),
      )
      return (
        Number(Attributes.ApproximateNumberOfMessages) +
        Number(Attributes.ApproximateNumberOfMessagesNotVisible)
      )
    }),
  )
  if (waiting.some(count => count > 0)) return false
  const items = await dumpOf(documents, tableName)
  return items.every(({ pk, open_pk }) => !pk.startsWith('OUTBOX#') && open_pk === undefined)
}

/** Each delivery that came was claimed; each that was claimed is final, and the counters know them all. */
async function expectAccounted({ documents, tableName }: Target, sent: unknown[]) {
  const items = await dumpOf(documents, tableName)
  const deliveries = items.filter(({ pk }) => pk.startsWith('DELIVERIES#'))
  const ids = new Set(deliveries.map(({ event_id, webhook_id }) => `${event_id}-${webhook_id}`))
  expect(sent.filter(id => !ids.has(String(id)))).toEqual([])
  const counted = items.filter(({ sk }) => sk.includes('#COUNT#'))
  const sum = (name: string) => counted.reduce((all, item) => all + Number(item[name] ?? 0), 0)
  expect(sum('total')).toBe(deliveries.length)
  return deliveries.length
}

async function doctor(target: Target): Promise<number> {
  const screen = { write: (text: string) => console.info(text.trim()) }
  return await operate(['doctor'], {
    out: screen,
    err: { write: () => undefined },
    clock: Date.now,
    readStdin: async () => '',
    openTarget: async () => target,
  })
}
