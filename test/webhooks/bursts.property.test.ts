// Random histories of two subscriptions, of which one collects, under faults of table and queues: each event
// is told once, by a hook that was sent after it or is logged as failed, whatever happens in between.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { handler as fanOut } from '../../functions/fan-out.ts'
import { handler as sweep } from '../../functions/sweep.ts'
import { createTable } from '../../infra/local/dynamodb/table.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { withoutBan } from '../../shared/accounts/user.ts'
import { EVENTS } from '../../shared/events/catalogue.ts'
import { startUnitOfWork } from '../../shared/events/unit-of-work.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { consume } from '../../shared/lambda/consume.ts'
import type { Runtime } from '../../shared/runtime/runtime.ts'
import { openTable } from '../../shared/table/client.ts'
import { burstKey, deliveryKey, FAN_OUT_PARTITION } from '../../shared/table/design.ts'
import { deliver } from '../../shared/webhooks/commands/deliver.ts'
import { redeliver } from '../../shared/webhooks/commands/redeliver.ts'
import { changeWebhook, removeWebhook, rotateSecret } from '../../shared/webhooks/commands/webhooks.ts'
import { type AttemptRecord, idOf } from '../../shared/webhooks/delivery.ts'
import { findEvents, listAttempts } from '../../shared/webhooks/store/log.ts'
import { changedWebhook, type WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { openFaultyWorkers } from '../histories/faulty/workers.ts'
import { openQueues, QUEUE_URLS } from '../histories/queues.ts'
import { chance, createFaultInjector, FAULT_KINDS, type FaultName } from '../support/faults/faults.ts'
import { useTable } from '../support/new-table.ts'
import { batchOf } from '../support/queue.ts'
import { skipPauses } from '../support/skipped-pauses.ts'
import { dumpOf } from '../support/table.ts'
import { openRecorder } from './recording.ts'
import { banOwner, countsOf, newEvent, refOf, SECRET, subscribe } from './subscriptions.ts'
import { signedIn, signerOf } from './verify-delivery.ts'
import { environment } from './workers.ts'

skipPauses()
const database = useTable()
const START_MS = Date.parse('2026-05-26T12:00:00Z')
/** Longer than claims, and than the sweep leaves rows alone. */
const ROUND_MS = 61_000
const MAX_ROUNDS = 60
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
/** 0: as many as fit into the time. */
const wantedHistories = Number(process.env.HISTORIES ?? (process.env.SOAK ? 2_000 : 0))
const TIME_MS = 3_000

const STEPS = [
  ...['fire', 'fire', 'fire', 'fire', 'fire', 'work', 'work', 'pause', 'resume', 'ban', 'unban'],
  ...['rotate', 'redeliver', 'redeliver', 'collect', 'collect', 'alone', 'delete'],
] as const
const history = fc.record({
  faults: fc.nat(),
  steps: fc.array(
    fc.record({
      act: fc.constantFrom(...STEPS),
      waitMs: fc.constantFrom(1, 1, 1_000, 9_000, 31_000, 120_000),
    }),
    { minLength: 10, maxLength: 40 },
  ),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

const FAULTS = Object.keys(FAULT_KINDS) as FaultName[]
const WORKERS = { events: fanOut, deliveries: consume('deliveries', deliver) }
let tables = 0

async function openHistory(seed: number, hookUrl: string) {
  const tableName = `bursts-${++tables}`
  await createTable(database.endpoint, tableName)
  const table = openTable(database.client, tableName)
  let nowMs = START_MS
  let rolls = 0
  const roll = () => chance(seed, `queue ${++rolls}`)
  const queues = openQueues(() => nowMs, roll)
  const clean: Runtime = {
    environment: { ...environment, ...QUEUE_URLS, CLIENT_KEY: 'the key of cursors' },
    ...{ table, sqs: queues.sqs, sender: queues.sender },
    clock: () => nowMs,
    log: () => undefined,
  }
  const faults = createFaultInjector({ seed, kinds: FAULTS, scale: 2 })
  const workers = await openFaultyWorkers(database.endpoint, tableName, clean, faults)

  const work = () =>
    startUnitOfWork({
      ...{ table, sender: queues.sender, nowMs, requestId: 'history', log: () => undefined },
      siteUrl: async () => 'https://site.example',
    })

  const runWorkers = async () => {
    for (let batch = queues.take(); batch; batch = queues.take()) {
      const { queue, messages } = batch
      if (queue !== 'events' && queue !== 'deliveries') continue
      const event = batchOf(...messages.map(({ message }) => message.body))
      const outcome = await workers.run(() => WORKERS[queue](event))
      const failed = new Set(outcome?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
      // A message that was done comes again if it could not be deleted.
      const isRepeated = outcome === undefined || roll() < 0.1
      queues.putBack(messages.filter((_, n) => isRepeated || failed.has(`message-${n}`)))
    }
  }

  const isSettled = async () => {
    const items = await dumpOf(database.client, tableName)
    // Nobody sees the deliveries of a deleted subscription.
    const entries = items.filter(({ pk }) => pk === FAN_OUT_PARTITION)
    const logs = new Set(entries.map(({ id }) => deliveryKey(Number(id), '').pk))
    const isLeft = ({ pk, sk, status }: (typeof items)[number]) =>
      pk.startsWith('OUTBOX#') || sk === burstKey(0).sk || (logs.has(pk) && isOnItsWay(status))
    return queues.isEmpty() && !items.some(isLeft)
  }

  const options = { sinceMs: START_MS - 1_000 }
  return {
    table,
    work,
    nowMs: () => nowMs,
    plain: await subscribe(table, `${hookUrl}/plain`, options),
    collecting: await subscribe(table, `${hookUrl}/collecting`, {
      ...options,
      quiet_seconds: 30,
      max_wait_seconds: 60,
    }),
    wait: (ms: number) => {
      nowMs += ms
    },
    runWorkers,
    /** Until nothing is left to do. */
    settle: async () => {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        nowMs += ROUND_MS
        await workers.run(sweep).catch(() => undefined)
        await runWorkers()
        if (await isSettled()) return
      }
      throw new Error(`After ${MAX_ROUNDS} rounds there is still work to do.`)
    },
    stop: async () => {
      queues.sqs.destroy()
      await workers.stop()
    },
  }
}
type World = Awaited<ReturnType<typeof openHistory>>

function isOnItsWay(status: unknown): boolean {
  return status === 'sending' || status === 'queued'
}

/** What the history did: the moments of its events, and since when none is owed that happened before. */
type Model = {
  fired: Map<number, { ms: number; isWanted: boolean }>
  state: { isActive: boolean; isBanned: boolean; isDeleted: boolean }
  droppedMs: number
  secrets: string[]
}

async function take(world: World, model: Model, act: (typeof STEPS)[number]): Promise<void> {
  const { table, collecting, work } = world
  const { state } = model
  const ref = refOf(collecting)
  const change = (changed: Parameters<typeof changedWebhook>[1]) =>
    changeWebhook(work(), ref, before => changedWebhook(before, changed, world.nowMs()))
  const drop = () => {
    model.droppedMs = world.nowMs()
  }
  if (act === 'work') return await world.runWorkers()
  if (act === 'fire') {
    const [id, ms] = [model.fired.size + 1, world.nowMs()]
    model.fired.set(id, { ms, isWanted: state.isActive && !state.isBanned && !state.isDeleted })
    const body = newEvent({ happened_ms: ms, data: { ...EVENTS['post.published'].sample, id } })
    return await work().commit({ actions: [], messages: [{ queue: 'events', body }] })
  }
  if (act === 'ban') {
    drop()
    state.isBanned = true
    return void (await banOwner(table, collecting))
  }
  if (act === 'unban') {
    state.isBanned = false
    return void (await changeUser(table, collecting.owner_id, user => withoutBan(user, world.nowMs())))
  }
  if (state.isDeleted) return
  if (act === 'pause' || act === 'resume') {
    if (act === 'pause') drop()
    state.isActive = act === 'resume'
    await change({ is_active: state.isActive })
  } else if (act === 'collect' || act === 'alone') {
    await change({ quiet_seconds: act === 'alone' ? 0 : 30 })
  } else if (act === 'rotate') {
    const { data } = await rotateSecret(work(), environment, ref, 0)
    model.secrets.push(data.secret)
  } else if (act === 'redeliver') {
    const [latest] = await attemptsOf(world, collecting)
    if (latest) await redeliver(work(), ref, idOf(latest)).catch(ignoreRefusal)
  } else {
    drop()
    state.isDeleted = true
    await removeWebhook(work(), ref)
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}

async function attemptsOf({ table, nowMs }: World, { id }: WebhookRecord): Promise<AttemptRecord[]> {
  return (await listAttempts(table, { webhookId: id, nowMs: nowMs(), limit: 500 })).attempts
}

const Told = z.object({
  event: z.string(),
  data: z.object({
    id: z.int(),
    count: z.optional(z.int()),
    items: z.optional(z.array(z.object({ id: z.int() }))),
  }),
})

/** The numbers of the events that each first attempt was about. */
async function toldBy(world: World, firsts: AttemptRecord[]): Promise<number[][]> {
  const events = await findEvents(world.table, firsts, world.nowMs())
  return firsts.map(({ event_id }) => {
    const { event, data } = Told.parse(JSON.parse(events.get(event_id)?.body ?? ''))
    const items = data.items?.map(({ id }) => id) ?? []
    expect(data.count ?? 0).toBe(items.length)
    return event === 'batch' ? items : [data.id]
  })
}

async function check(
  world: World,
  model: Model,
  recorded: Awaited<ReturnType<typeof openRecorder>>['recorded'],
) {
  const { plain, collecting } = world
  for (const webhook of [plain, collecting]) {
    const attempts = await attemptsOf(world, webhook)
    const firsts = attempts.filter(({ attempt }) => attempt === 1)
    const told = await toldBy(world, firsts)
    const all = told.flat()
    expect(new Set(all).size, 'each event is told once').toBe(all.length)
    const isLate = (first: AttemptRecord, ids: number[]) =>
      ids.every(id => (model.fired.get(id)?.ms ?? Infinity) <= (first.attempted_ms ?? 0))
    expect(
      firsts.filter((first, n) => !isLate(first, told[n] ?? [])),
      'hooks before an event',
    ).toEqual([])
    const isPlain = webhook === plain
    const unwanted = all.filter(id => !isPlain && !model.fired.get(id)?.isWanted)
    expect(unwanted, 'what happened during a pause or a ban').toEqual([])
    const owed = [...model.fired].filter(
      ([, { ms, isWanted }]) => isPlain || (isWanted && ms > model.droppedMs),
    )
    expect(
      owed.filter(([id]) => !all.includes(id)).map(([id]) => id),
      'what was never told',
    ).toEqual([])

    const own = recorded.filter(({ path }) => path === (isPlain ? 'plain' : 'collecting'))
    const received = own.map(({ headers }) => `${headers['webhook-id']}.${headers['webhook-attempt'] ?? 1}`)
    expect(new Set(received).size, 'each attempt is sent once').toBe(received.length)
    const logged = new Map(attempts.map(attempt => [idOf(attempt), attempt.status]))
    expect(received.filter(id => !logged.has(id))).toEqual([])
    const succeeded = [...logged].flatMap(([id, status]) => (status === 'succeeded' ? id : []))
    expect(succeeded.filter(id => !received.includes(id))).toEqual([])
    const unsigned = own.filter(one => !signerOf(signedIn(one), model.secrets))
    expect(unsigned).toEqual([])
    if (!isPlain && model.state.isDeleted) continue
    const failed = [...logged.values()].filter(status => status === 'failed').length
    expect(await countsOf(world.table, webhook)).toEqual({ total: attempts.length, failed })
  }
}

describe('a subscription that collects', () => {
  it('is told each event once, in any history under faults', async () => {
    console.info(`seed ${seed} (run again with SEED=${seed})`)
    const untilMs = wantedHistories > 0 ? Number.POSITIVE_INFINITY : Date.now() + TIME_MS
    let histories = 0
    const receiver = await openRecorder()
    const property = fc.asyncProperty(history, async ({ faults, steps }: History) => {
      if (Date.now() > untilMs) return
      receiver.recorded.length = 0
      const world = await openHistory(faults, receiver.url('').slice(0, -1))
      const model: Model = {
        fired: new Map(),
        state: { isActive: true, isBanned: false, isDeleted: false },
        ...{ droppedMs: 0, secrets: [SECRET] },
      }
      try {
        for (const { act, waitMs } of steps) {
          world.wait(waitMs)
          await take(world, model, act)
        }
        await world.settle()
        await check(world, model, receiver.recorded)
        histories++
      } finally {
        await world.stop()
      }
    })
    // Without shrinking: a smaller history would meet other faults.
    await fc.assert(property, { seed, endOnFailure: true, numRuns: wantedHistories || 100 })
    console.info(`${histories} histories`)
    expect(histories).toBeGreaterThan(0)
  }, 7_200_000)
})
