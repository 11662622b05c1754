// Two releases use the same table and queues while clients write, under faults. The other one is a later
// release, or with OTHER_RELEASE=FOLDER a former one, whose bundles are in the folder.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { FaultName } from '../world/faults/fault-kinds.ts'
import { createFaultInjector } from '../world/faults/faults.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { retiredLists } from '../../shared/posts/lists.ts'
import { deliveryKey, kindOf, settingsKey } from '../../shared/table/design.ts'
import type { Item } from '../../shared/table/key.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { createEmpty } from '../lists/list-world.ts'
import { operatorOn } from '../operator/operator-world.ts'
import { ALL_ENABLED } from '../world/endpoints.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { dumpAt } from '../world/table.ts'
import { until } from '../world/until.ts'
import { openWorld } from '../world/world.ts'
import { writeEverything } from './every-write.ts'
import { watchEvents } from './fired-events.ts'
import { type Load, writeLoad } from './load.ts'
import { buildNextRelease } from './next-release.ts'
import { writeTwoReleases } from './two-releases.ts'

const { OTHER_RELEASE, ACTS = '8', SEED } = process.env
const seed = Number(SEED ?? Date.now() % 2 ** 31)
/** Without crashes and hangs: what they interrupt ends with a lease of minutes. */
const FAULTS: FaultName[] = [
  'conflict',
  'throttled',
  'failed',
  'lost',
  'partly',
  'twice',
  'late',
  'undeleted',
]
/** Kinds of which the load creates items. */
const WRITTEN = ['POST', 'LIST', 'TICKET', 'CATEGORIES', 'EVENT', 'DELIVERIES']
const NEXT_SETTING = { 'next.release': 2 }

async function openTwoReleases() {
  const folder = await mkdtemp(join(tmpdir(), 'releases-'))
  const [assembly, next] = [join(folder, 'assembly'), join(folder, 'next')]
  await mkdir(assembly)
  if (!OTHER_RELEASE) await buildNextRelease(next)
  const names = await writeTwoReleases(inject('assembly'), OTHER_RELEASE ?? next, assembly)
  const { fired, interceptor } = watchEvents()
  const interceptors = [createFaultInjector({ seed, kinds: FAULTS }), interceptor]
  const world = await openWorld({ assembly, interceptors, settings: ALL_ENABLED })
  const dump = () => dumpAt(world.dynamodbEndpoint, world.tableName)
  const stop = async () => {
    await world.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...world, names, fired, dump, stop }
}

type TwoReleases = Awaited<ReturnType<typeof openTwoReleases>>

/** By workers of both releases. A row whose deletion failed stays for a minute, and is harmless. */
async function finishWork(world: TwoReleases): Promise<void> {
  await until('all queued work to be done', world.isIndexed)
  await until('a sweep', () =>
    world.runSchedule('sweep').then(
      () => true,
      () => false,
    ),
  )
  await until('all queued work to be done', world.isIndexed)
}

/** Each post is as in its last answer, unless a later request got none. */
async function expectPosts({ call, admin: token }: TwoReleases, { writers }: Load): Promise<void> {
  for (const [id, { post, isSure }] of writers.flatMap(({ expected }) => [...expected])) {
    const { status, text } = await until('an answer', async () => {
      const answer = await call(adminPosts.getPost, { token, params: { id } })
      return answer.status < 500 && answer
    })
    const found = status === 200 ? JSON.parse(text).data : undefined
    if (isSure) expect([status, found]).toEqual([post ? 200 : 404, post])
  }
}

/** By id: the status in the log, or `unsent` for a row of the outbox, which the next sweep sends. */
function keptEvents(items: Item[], webhookId: number): Map<string, unknown> {
  const { pk: log } = deliveryKey(webhookId, '')
  return new Map(
    items.flatMap(({ pk, sk, status, queue, body }): [string, unknown][] => {
      if (pk === log) return [[sk, status]]
      return kindOf(pk) === 'OUTBOX' && queue === 'events' ? [[String(Object(body).id), 'unsent']] : []
    }),
  )
}

describe('two releases on the same table and queues', () => {
  it('refuse nothing, lose nothing, log each event once, deliver it at most once and leave nothing for the doctor', async () => {
    const world = await openTwoReleases()
    onTestFinished(world.stop)
    console.info(`seed ${seed} (SEED=${seed} repeats it), two releases of ${world.names.join(', ')}`)
    // A former release may refuse it.
    const settings = { ...settingsKey, values: { ...NEXT_SETTING, ...ALL_ENABLED }, revision: 1 }
    if (!OTHER_RELEASE) await world.table.putMany([settings])
    // The former release created them with its first post.
    for (const list of retiredLists()) if (OTHER_RELEASE) await createEmpty(world.table, list)
    const subscriber = await openSubscriber()
    const body = { name: 'All', url: subscriber.url, events: ['*'] }
    const subscription = await until('a subscription', async () => {
      const answer = await world.call(adminWebhooks.createWebhook, { token: world.admin, body })
      return answer.status === 201 && answer.data
    })
    const [load, refused] = await Promise.all([writeLoad(world, seed, Number(ACTS)), writeEverything(world)])
    await finishWork(world)

    expect([...load.refused, ...refused]).toEqual([])
    await expectPosts(world, load)
    // A fault may delay a message that the sweep has sent.
    await until('each event to be kept', async () => {
      const kept = keptEvents(await world.dump(), subscription.id)
      return [...world.fired].every(id => kept.has(id))
    })
    const items = await world.dump()
    const kept = keptEvents(items, subscription.id)
    // A fault may end a delivery as failed after its claim. It is not sent a second time.
    const succeeded = [...kept].flatMap(([id, status]) => (status === 'succeeded' ? [id] : []))
    const sent = subscriber.received.map(({ headers }) => String(headers['webhook-id']).replace(/-\d+$/, ''))
    expect(new Set(sent).size).toBe(sent.length)
    expect(succeeded.filter(id => !sent.includes(id))).toEqual([])
    expect(sent.filter(id => !world.fired.has(id))).toEqual([])
    expect([...kept.keys()].filter(id => !world.fired.has(id))).toEqual([])
    expect(kept.size).toBeGreaterThanOrEqual(load.writers.reduce((sum, { fired }) => sum + fired(), 0))
    const { out } = await operatorOn(world).run(['doctor'])
    expect(out).toContain('Nothing is wrong.')
    if (OTHER_RELEASE) return
    const isNext = Map.groupBy(items, ({ next_release }) => next_release !== undefined)
    const kindsOf = (next: boolean) => (isNext.get(next) ?? []).map(({ pk }) => kindOf(pk))
    for (const next of [true, false]) expect(kindsOf(next)).toEqual(expect.arrayContaining(WRITTEN))
    expect(items.find(({ pk }) => pk === settingsKey.pk)?.values).toMatchObject(NEXT_SETTING)
  })
})
