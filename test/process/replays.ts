// Failures are sent again with one call for each subscription while the service is killed: every attempt is
// made at most once, oldest first, with the same bytes; the log agrees with the receiver.
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { type Delivery, REPLAY_STEP as STEP } from '../../shared/webhooks/fields.ts'
import { newFolder } from '../support/folder.ts'
import { until } from '../support/until.ts'
import { openRecorder, type RecordedDelivery } from '../webhooks/recording.ts'
import { isAccepted } from '../webhooks/verify-delivery.ts'
import { type Service, startProcess } from './service.ts'

const PATHS = ['a', 'b', 'c']
const WAIT_MS = 900_000
const SINCE = '2026-01-01'
/** So many redeliveries may come before a fresh event, in the middle. */
const FEW = 5

type Recorder = Awaited<ReturnType<typeof openRecorder>>
type Subscription = { id: number; secret: string; path: string }

/** The path and the number of fresh events. */
const FRESH_PATH = 'fresh'
const FRESH = 40

/** When a fresh event came, from the answer to its publish on, and after how many others. */
type Arrival = { ms: number; othersBefore: number }

async function publish({ call, token }: Service, title: string): Promise<void> {
  await call(adminPosts.createPost, { token, body: { title, is_published: true } })
}

async function freshArrivals(service: Service, { recorded }: Recorder): Promise<Arrival[]> {
  const arrivals: Arrival[] = []
  for (let n = 0; n < FRESH; n++) {
    const isFresh = ({ path, body }: { path: string; body: string }) =>
      path === FRESH_PATH && body.includes(`"Fresh ${n}"`)
    const before = recorded.length
    await publish(service, `Fresh ${n}`)
    const [answeredMs, seen] = [performance.now(), recorded.length]
    const at = await until(
      'the fresh event',
      () => recorded.findIndex((one, i) => i >= before && isFresh(one)) + 1,
    )
    arrivals.push({ ms: performance.now() - answeredMs, othersBefore: Math.max(0, at - 1 - seen) })
  }
  return arrivals
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** By the order of arrivals, which a slow machine does not change: at most `most` others come before. */
function expectLittleDelay(usual: Arrival[], during: Arrival[], most: number): void {
  const [usualMs, duringMs] = [usual, during].map(arrivals => median(arrivals.map(({ ms }) => ms)))
  const others = during.map(({ othersBefore }) => othersBefore)
  console.info(`a fresh event takes ${usualMs?.toFixed(1)} ms, and ${duringMs?.toFixed(1)} ms during replays`)
  console.info(
    `redeliveries that came before it: ${median(others)} in the middle, ${Math.max(...others)} at most`,
  )
  expect(median(others), 'redeliveries before a fresh event').toBeLessThanOrEqual(most)
}

function keyOf({ headers }: RecordedDelivery): string {
  return `${headers['webhook-id']}.${headers['webhook-attempt'] ?? 1}`
}

async function logOf({ call, token }: Service, id: number): Promise<Delivery[]> {
  const all: Delivery[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const query = { limit: 100, ...(after && { after }) }
    const page = await call(adminWebhooks.listDeliveries, { token, params: { id }, query })
    all.push(...page.data)
    after = page.cursor.next
  }
  return all
}

function hasEnded({ status }: Delivery): boolean {
  return status === 'succeeded' || status === 'failed'
}

async function replay({ call, token }: Service, id: number) {
  return await call(adminWebhooks.redeliverAll, { token, params: { id }, body: { since: SINCE } })
}

/** How many were sent again, each with the bytes of the first attempt, and accepted by the libraries. */
function countGenuine(recorder: Recorder, subscriptions: Subscription[]): number {
  const bodies = new Map(
    recorder.recorded.filter(isFirst).map(first => [first.headers['webhook-id'], first.body]),
  )
  const again = recorder.recorded.filter(recorded => !isFirst(recorded))
  for (const { path, body, headers: all } of again) {
    expect(body).toBe(bodies.get(all['webhook-id']))
    const { secret = '' } = subscriptions.find(one => one.path === path) ?? {}
    const headers = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]))
    expect(isAccepted(secret, { body, headers })).toBe(true)
  }
  return again.length
}

function isFirst({ headers }: RecordedDelivery): boolean {
  return headers['webhook-attempt'] === undefined
}

/** How far an attempt is ahead of one whose event is older. */
function largestLead(order: string[], again: string[]): number {
  const positions = new Map(order.map((id, n) => [id, n]))
  let expected = 0
  return Math.max(...again.map(id => (positions.get(id) ?? 0) - expected++))
}

export type Replays = {
  events: number
  kills: number
  /** Whether it also measures how much longer an event of another subscriber takes during it. */
  measures: boolean
}

/** Returns how many were sent again. */
export async function replayAcrossKills({ events, kills, measures }: Replays): Promise<number> {
  const recorder = await openRecorder()
  const state = await newFolder()
  let service = await startProcess(state)
  const subscribe = async (path: string, events: string[]): Promise<Subscription> => {
    const body = { name: path, url: recorder.url(path), events }
    const { data } = await service.call(adminWebhooks.createWebhook, { token: service.token, body })
    return { id: data.id, secret: data.secret, path }
  }
  const subscriptions: Subscription[] = []
  for (const path of PATHS) subscriptions.push(await subscribe(path, ['post.published']))
  recorder.answers.status = 500
  for (let n = 0; n < events; n++) await publish(service, `Post ${n}`)
  const failed = events * PATHS.length
  await until('all to fail', () => recorder.recorded.length === failed, WAIT_MS)
  recorder.answers.status = 200

  for (const { id } of subscriptions) {
    await service.call(adminWebhooks.changeWebhook, {
      token: service.token,
      params: { id },
      body: { events: ['post.deleted'] },
    })
  }
  if (measures) await subscribe(FRESH_PATH, ['post.published'])
  const usual = measures ? await freshArrivals(service, recorder) : []
  for (const { id } of subscriptions) expect((await replay(service, id)).data.matched).toBe(events)
  // A second call is refused, or finds that all are on their way.
  const second = await replay(service, subscriptions[0]?.id ?? 0)
  expect(['CONFLICT', 0]).toContain(second.code ?? second.data.matched)
  const again = () => recorder.recorded.filter(recorded => !isFirst(recorded))
  for (let kill = 0; kill < kills; kill++) {
    const enough = again().length + STEP
    await until('the replay to go on', () => again().length >= Math.min(enough, failed), WAIT_MS)
    await pause(Math.random() * 500)
    await service.kill()
    if (measures) console.info(`killed after ${again().length} of ${failed}`)
    service = await startProcess(state)
  }
  const sentBefore = again().length
  const during = measures ? await freshArrivals(service, recorder) : []
  const sentDuring = again().length - sentBefore
  const isOver = async () => {
    const codes: unknown[] = []
    for (const { id } of subscriptions) codes.push((await replay(service, id)).code)
    return codes.every(code => code !== 'CONFLICT')
  }
  const logs = () => Promise.all(subscriptions.map(({ id }) => logOf(service, id)))
  await until(
    'every attempt to end',
    async () => {
      await pause(1_000)
      return (await logs()).every(log => log.length >= 2 * events && log.every(hasEnded))
    },
    WAIT_MS,
  )

  const keys = recorder.recorded.map(keyOf)
  expect(new Set(keys).size, 'each attempt at most once').toBe(keys.length)
  const sentAgain = countGenuine(recorder, subscriptions)
  const order = recorder.recorded.filter(isFirst).map(({ headers }) => String(headers['webhook-id']))
  let interrupted = 0
  for (const [n, log] of (await logs()).entries()) {
    const path = subscriptions[n]?.path
    const received = new Set(recorder.recorded.filter(recorded => recorded.path === path).map(keyOf))
    const second = log.filter(({ attempt }) => attempt === 2)
    expect(second).toHaveLength(events)
    const arrived = log.filter(({ response_status }) => response_status !== null).map(({ id }) => id)
    expect(
      arrived.filter(id => !received.has(id)),
      'answers in the log alone',
    ).toEqual([])
    const logged = new Map(log.map(delivery => [delivery.id, delivery]))
    for (const id of received) expect(logged.get(id)?.error ?? 'status').toMatch(/status|interrupted/)
    interrupted += second.filter(({ error }) => error === 'interrupted').length
    const own = order.filter(id => id.endsWith(`-${subscriptions[n]?.id}`))
    const ids = recorder.recorded
      .filter(recorded => recorded.path === path && recorded.headers['webhook-attempt'] === '2')
      .map(({ headers }) => String(headers['webhook-id']))
    // Interrupted ones leave gaps, by which all later ones are ahead.
    expect(largestLead(own.toSorted(), ids)).toBeLessThan(STEP * (kills + 2))
  }
  if (measures) console.info(`${interrupted} of ${failed} attempts were interrupted by the kills`)
  expect(interrupted).toBeLessThanOrEqual(STEP * PATHS.length * kills)
  await until('the replays to be over', isOver, WAIT_MS)
  if (measures) {
    expect(sentDuring, 'replays were under way').toBeGreaterThan(STEP)
    console.info(`${sentDuring} of ${failed} were sent again meanwhile`)
    expectLittleDelay([...usual, ...(await freshArrivals(service, recorder))], during, FEW)
  }
  return sentAgain
}
