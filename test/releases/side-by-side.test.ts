// Two releases use the same table and queues while clients write, under faults. The other one is a later
// release, or with OTHER_RELEASE=FOLDER a former one, whose bundles are in the folder.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { FaultName } from '../../infra/local/faults/fault-kinds.ts'
import { createFaultInjector } from '../../infra/local/faults/faults.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { kindOf, settingsKey } from '../../shared/table/design.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { operatorOn } from '../operator/operator-world.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { dumpAt } from '../world/table.ts'
import { until } from '../world/until.ts'
import { openWorld } from '../world/world.ts'
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
  const world = await openWorld({ assembly, interceptors: [createFaultInjector({ seed, kinds: FAULTS })] })
  const dump = () => dumpAt(world.dynamodbEndpoint, world.tableName)
  const stop = async () => {
    await world.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...world, names, dump, stop }
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

describe('two releases on the same table and queues', () => {
  it('refuse nothing, lose nothing, deliver each event at most once and leave nothing for the doctor', async () => {
    const world = await openTwoReleases()
    onTestFinished(world.stop)
    console.info(`seed ${seed} (SEED=${seed} repeats it), two releases of ${world.names.join(', ')}`)
    // A former release may refuse it.
    const settings = { ...settingsKey, values: NEXT_SETTING, revision: 1 }
    if (!OTHER_RELEASE) await world.table.putMany([settings])
    const subscriber = await openSubscriber()
    const body = { name: 'All', url: subscriber.url, events: ['*'] }
    await until('a subscription', async () => {
      const { status } = await world.call(adminWebhooks.createWebhook, { token: world.admin, body })
      return status === 201
    })
    const load = await writeLoad(world, seed, Number(ACTS))
    await finishWork(world)

    expect(load.refused).toEqual([])
    await expectPosts(world, load)
    const sent = subscriber.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(sent).size).toBe(sent.length)
    const items = await world.dump()
    const deliveries = items.filter(({ pk }) => kindOf(pk) === 'DELIVERIES')
    expect(deliveries.length).toBeGreaterThanOrEqual(
      load.writers.reduce((sum, { fired }) => sum + fired(), 0),
    )
    const { out } = await operatorOn(world).run(['doctor'])
    expect(out).toContain('Nothing is wrong.')
    if (OTHER_RELEASE) return
    const isNext = Map.groupBy(items, ({ next_release }) => next_release !== undefined)
    const kindsOf = (next: boolean) => (isNext.get(next) ?? []).map(({ pk }) => kindOf(pk))
    for (const next of [true, false]) expect(kindsOf(next)).toEqual(expect.arrayContaining(WRITTEN))
    expect(items.find(({ pk }) => pk === settingsKey.pk)?.values).toMatchObject(NEXT_SETTING)
  })
})
