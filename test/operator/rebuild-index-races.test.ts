// A rebuild of the index during runs of the index worker and changes of posts, and one that is stopped.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { rebuildIndex } from '../../infra/operator/doctor/rebuild-index.ts'
import { readIndexState } from '../../shared/search/index-state.ts'
import { openTable } from '../../shared/table/client.ts'
import { bodyKey, type Item, manifestKey, postKey, rebuildLockKey } from '../../shared/table/design.ts'
import { lastId } from '../../shared/table/next-id.ts'
import { use } from '../support/use.ts'
import { openIndexWorld } from './index-world.ts'

const world = use(openIndexWorld)

const AnyItem = z.looseObject({ pk: z.string(), sk: z.string() })
const UPDATE = 'UpdateItem'
const BATCH_GET = 'BatchGetItem'
const BATCH_WRITE = 'BatchWriteItem'
/** What the swaps of a test leave can be deleted by then. */
const LATER_MS = 60_000

async function reported(repair = false): Promise<string[]> {
  return (await diagnose(world.contextOn(), repair)).problems.map(({ subject }) => subject).sort()
}

/** Merges everything that is pending, and deletes what that leaves. */
async function settle(): Promise<void> {
  for (const laterMs of [0, LATER_MS, 2 * LATER_MS]) await world.merge(Date.now() + laterMs)
  expect((await readIndexState(world.table)).markers).toEqual([])
  expect(await reported()).toEqual([])
}

async function removeAll(): Promise<void> {
  for (let id = await lastId(world.table, 'post'); id > 0; id--) await world.remove(id).catch(() => undefined)
  await settle()
}

describe('a rebuild of the index', () => {
  it('lets a run that began before it save nothing, so that the run loses nothing either', async () => {
    const id = await world.livePost('Wallaby')
    for (const nth of [2, 1]) {
      const rebuild = () => rebuildIndex(world.contextOn())
      const slow = world.clientWithHookBefore(UPDATE, nth, rebuild, manifestKey.sk)
      await world.merge(Date.now(), openTable(slow, world.tableName))
    }
    expect(await world.idsFor('wallaby')).toEqual([id])
    await settle()
    expect(await world.idsFor('wallaby')).toEqual([id])
    await removeAll()
  })

  it.each([
    [BATCH_GET, 1, ''],
    [UPDATE, 2, manifestKey.sk],
    [BATCH_WRITE, 1, ''],
    [UPDATE, 3, manifestKey.sk],
  ])('finds what changes before its %s number %i, during and after the rebuild', async (name, nth, pk) => {
    const [stays, edited, removed] = [
      await world.livePost('Bettong'),
      await world.livePost('Bettong'),
      await world.livePost('Bettong'),
    ]
    await world.merge()
    let created = 0
    const expectHits = async () => {
      expect(await world.idsFor('bettong')).toEqual([created, stays])
      expect(await world.idsFor('potoroo')).toEqual([edited])
    }
    const change = async () => {
      await world.change(edited, { title: 'Potoroo' })
      await world.remove(removed)
      created = await world.livePost('Bettong')
      // The worker leaves the changes pending while the lock is held.
      await world.merge()
      await expectHits()
    }
    await rebuildIndex(world.contextOn(world.clientWithHookBefore(name, nth, change, pk)))
    await expectHits()
    await settle()
    await expectHits()
    await removeAll()
    expect((await readIndexState(world.table)).manifest?.segments).toEqual([])
  })

  it('leaves the index as it was if it was stopped for so long that another rebuild, or a run, came first', async () => {
    const id = await world.livePost('Quoll')
    await world.merge()
    const lockOf = (holder: string, untilMs: number) => ({ ...rebuildLockKey, holder, until_ms: untilMs })
    const takeover = () => world.table.putMany([lockOf('another', Number.MAX_SAFE_INTEGER)])
    const other = world.clientWithHookBefore(UPDATE, 1, takeover, manifestKey.sk)
    await expect(rebuildIndex(world.contextOn(other))).rejects.toThrow(
      'Another rebuild of the index is running',
    )
    await world.table.removeMany([rebuildLockKey])

    const expire = async () => {
      await world.table.removeMany([rebuildLockKey])
      await world.livePost('Quoll').then(world.remove)
      await world.merge()
    }
    const slow = world.clientWithHookBefore(BATCH_WRITE, 1, expire)
    await expect(rebuildIndex(world.contextOn(slow))).rejects.toThrow(
      'Another process wrote the search index',
    )
    expect(await world.idsFor('quoll')).toEqual([id])
    // The run found no item of the segment, which was written after it.
    expect(await reported(true)).toEqual([expect.stringMatching(/^search segment /)])
    await rebuildIndex(world.contextOn())
    expect(await world.idsFor('quoll')).toEqual([id])
    await settle()
  })

  it.each<[string, (record: Item) => Promise<unknown>]>([
    ['record', record => world.table.write({ Put: { Item: { ...record, title: 7 } } })],
    ['body', ({ id }) => world.table.removeMany([bodyKey(Number(id))])],
  ])('names a post whose %s cannot be read, and releases the lock', async (_, damage) => {
    const id = await world.livePost('Quokka')
    const items = await world.table.findMany([postKey(id), bodyKey(id)])
    await damage(await world.table.find(postKey(id), AnyItem).then(item => item ?? postKey(id)))
    await expect(rebuildIndex(world.contextOn())).rejects.toThrow(`Post ${id} cannot be read`)
    await world.table.putMany(items)
    await rebuildIndex(world.contextOn())
    expect(await world.idsFor('quokka')).toEqual([id])
    await removeAll()
  })
})
