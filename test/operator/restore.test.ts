// The drill: a load, a loss, and a restore to a moment, after which no id is given and no event sent twice.
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { expect, it, onTestFinished } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { newEventId } from '../../shared/events/message.ts'
import { outboxRow } from '../../shared/events/outbox.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { deliveryKey, type Item } from '../../shared/table/design.ts'
import { COUNTERS } from '../../shared/table/kinds.ts'
import { lastId } from '../../shared/table/next-id.ts'
import { creatorsIn } from '../support/create.ts'
import { startCallProxy } from '../support/faults/call-proxy.ts'
import { openSubscriber, type ReceivedDelivery } from '../support/subscriber.ts'
import { dumpAt } from '../support/table.ts'
import { until } from '../support/until.ts'
import { openWorld, useWorld, type World } from '../support/world.ts'
import { underLoad } from './load.ts'
import { operatorOn } from './operator-world.ts'
import { openRecovery } from './recovery.ts'

const world = useWorld({ isNew: true })
const RESTORED = 'restored'
/** An id that no post has. */
const UNSENT_ID = 999_999

type Load = Pick<World, 'admin' | 'call' | 'create' | 'unique'>

/** Four writers publish, change and delete posts until `stop`. `ids` are all that were given. */
function load(of: Load) {
  const ids: number[] = []
  const write = async () => {
    const { id } = await of.create.livePost()
    ids.push(id)
    const asAdmin = { token: of.admin, params: { id } }
    await of.call(adminPosts.changePost, { ...asAdmin, body: { title: of.unique('Changed') } })
    if (id % 3 === 0) await of.call(adminPosts.deletePost, asAdmin)
  }
  const { stop } = underLoad({ first: write, second: write, third: write, fourth: write })
  return { ids, stop }
}

async function postsOf(of: Load): Promise<number[]> {
  const { data } = await of.call(adminPosts.listPosts, { token: of.admin, query: { per_page: 100 } })
  return data.map(({ id }) => id).toSorted((a, b) => a - b)
}

/** At the end of its second, as a subscription of the same second gets no event from before its creation. */
function eventOf(delivery: ReceivedDelivery, webhookId: number) {
  const id = String(delivery.headers['webhook-id']).replace(`-${webhookId}`, '')
  const { event, occurred_at, data } = delivery
  const happened_ms = Date.parse(occurred_at) + 999
  return { kind: 'event' as const, id, event, occurred_at, happened_ms, request_id: 'test', data }
}

async function recoveringOperator(contentAt: (name: string) => Item[]) {
  const recovery = openRecovery(world.dynamodbEndpoint, contentAt)
  const proxy = await startCallProxy(world.dynamodbEndpoint, recovery.interceptor)
  onTestFinished(async () => {
    await recovery.stop()
    await proxy.stop()
  })
  return operatorOn({ ...world, endpoints: { ...world.endpoints, dynamodb: proxy.endpoint } })
}

/** A service with the same secrets that works on what the restored table contains. */
async function switchTo(tableName: string) {
  const started = await openWorld({ isNew: true })
  onTestFinished(() => started.stop())
  await until('the start', () => started.isIdle())
  Object.assign(started.secrets.values, world.secrets.values)
  const { table, call, dynamodbEndpoint } = started
  const own = await dumpAt(dynamodbEndpoint, started.tableName)
  await table.removeMany(own.map(({ pk, sk }) => ({ pk, sk })))
  await table.putMany(await dumpAt(world.dynamodbEndpoint, tableName))
  const { admin, unique } = world
  const sqs = new SQSClient(clientSettings(started.sqsEndpoint))
  /** As if a queue had kept the message of an event. */
  const sendEvent = (event: object) => {
    const QueueUrl = started.queueUrl('EventsQueue')
    return sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(event) }))
  }
  return { ...started, admin, unique, sendEvent, create: creatorsIn({ table, call, admin, unique }) }
}

/** The sweep sends rows that are older than a minute. */
const OLD_ENOUGH_MS = 120_000

it('brings a stage back to a moment: what was there, no id given twice, no event sent twice', async () => {
  const receiver = await openSubscriber()
  const webhook = await world.create.webhook(receiver.url, { events: ['post.published'] })
  const before = load(world)
  await until('some posts', () => before.ids.length >= 8)
  await before.stop()
  const unannounced = await world.create.livePost({ posted_at: '2999-01-01' })
  const arrived = (ids: number[]) => {
    const received = new Set(receiver.received.map(({ data }) => data.id))
    return ids.every(id => received.has(id)) && world.isIdle() && world.isIndexed()
  }
  await until('the first events', () => arrived(before.ids))
  const dueMs = Date.now() + 8_000
  const scheduled = await world.create.livePost({ posted_at: new Date(dueMs).toISOString() })
  const atThatMoment = await postsOf(world)

  // The moment: the message of the last event has not been received yet, so it has a row and no claims.
  const last = receiver.received.at(-1)
  if (!last) throw new Error('No event was delivered.')
  const late = eventOf(last, webhook.id)
  const atMs = Date.now()
  const content = (await dumpAt(world.dynamodbEndpoint, world.tableName)).filter(
    ({ pk, sk }) => !(pk === deliveryKey(webhook.id, late.id).pk && sk === late.id),
  )
  const row = outboxRow({ queue: 'events', body: late }, atMs - 1_000)
  content.push(row)
  // No queue has taken the message of another event, before the moment and until today.
  const waiting = eventOf({ ...last, data: { ...last.data, id: UNSENT_ID } }, webhook.id)
  const unsent = outboxRow(
    { queue: 'events', body: { ...waiting, id: newEventId(atMs) } },
    atMs - OLD_ENOUGH_MS,
  )
  content.push(unsent)

  const after = load(world)
  await until('more posts', () => after.ids.length >= 8)
  await after.stop()
  await until('the post to be due', () => Date.now() > dueMs)
  await world.runSchedule('sweep')
  await until('all events', () => arrived([...after.ids, scheduled.id]))
  // The loss.
  for (const id of await postsOf(world)) {
    await world.call(adminPosts.deletePost, { token: world.admin, params: { id } })
  }
  await until('the loss', () => world.isIdle())
  await world.table.putMany([unsent])

  const operator = await recoveringOperator(() => content)
  const command = ['restore', '--to', new Date(atMs).toISOString(), '--as', RESTORED]
  await operator.json(command)
  const adopted = await operator.json([...command, '--adopt'])
  expect(adopted).toMatchObject({ sent: 1, announced: [scheduled.id] })
  expect(adopted.claims).toBeGreaterThan(after.ids.length)
  const again = await operator.json([...command, '--adopt'])
  expect(again).toMatchObject({ sent: 0, claims: 0, announced: [], counters: adopted.counters })

  const next = await switchTo(RESTORED)
  expect(await postsOf(next)).toEqual(atThatMoment)
  expect(atThatMoment).toContain(unannounced.id)
  for (const counter of COUNTERS) {
    const given = await lastId(world.table, counter)
    expect(await lastId(next.table, counter), counter).toBeGreaterThan(given)
  }
  // A message that was left in a queue, or among the dead letters.
  const left = receiver.received.find(({ data }) => after.ids.includes(Number(data.id)))
  if (!left) throw new Error('No event was delivered after the moment.')
  await next.sendEvent(eventOf(left, webhook.id))
  await next.runSchedule('sweep')
  const later = load(next)
  await until('new posts', () => later.ids.length >= 4)
  await later.stop()
  expect(new Set([...before.ids, ...after.ids, ...later.ids]).size).toBe(
    before.ids.length + after.ids.length + later.ids.length,
  )
  await until(
    'the new events',
    () => next.isIdle() && later.ids.every(id => receiver.received.some(({ data }) => data.id === id)),
  )
  await next.runSchedule('sweep')
  await until('the last messages', () => next.isIdle())
  const published = receiver.received.map(({ data }) => Number(data.id))
  expect(published.length).toBe(new Set(published).size)
  expect(published).toContain(UNSENT_ID)
  const deliveries = receiver.received.map(({ headers }) => String(headers['webhook-id']))
  expect(deliveries.length).toBe(new Set(deliveries).size)
})
