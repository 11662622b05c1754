// The search index of a local state that an earlier version has written.
import { describe, expect, it } from 'vitest'
import { upgradeIndex } from '../../infra/local/upgrade-index.ts'
import { docKey, manifestKey } from '../../shared/table/design.ts'
import { openIndexWorld } from '../operator/index-world.ts'
import { use } from '../world/use.ts'

const world = use(openIndexWorld)

describe('the start on a state', () => {
  it('builds the search index if an earlier version had another one, and once only', async () => {
    const lines: string[] = []
    const start = () => upgradeIndex({ ...world, log: line => lines.push(line) })
    await start()
    expect(lines).toEqual([])
    const id = await world.livePost('Ningaui')
    await world.merge()
    await world.table.removeMany([docKey(id), manifestKey])
    for (const { pk, sk } of await world.dump()) {
      if (pk === 'INDEX') await world.table.removeMany([{ pk, sk }])
    }
    expect(await world.idsFor('ningaui')).toEqual([])
    await start()
    await start()
    expect(lines).toEqual(['Building the search index …'])
    expect(await world.idsFor('ningaui')).toEqual([id])
  })
})
