// A site that was loaded in bulk has the same items as one that was written post by post.
import { beforeAll, describe, expect, it } from 'vitest'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { targetOn } from '../import-export/table-context.ts'
import { useTable } from '../world/new-table.ts'
import { LOADED_AT, loadSite } from './load.ts'
import { openSite } from './site.ts'

const COUNT = 120

const world = useTable()
beforeAll(async () => {
  await loadSite(world.table, openSite({ count: COUNT, seed: 1 }))
})

describe('loadSite', () => {
  it('leaves nothing for the doctor to repair', async () => {
    const { problems, records } = await diagnose(
      {
        target: targetOn(world),
        nowMs: LOADED_AT * 1000,
        nowSeconds: LOADED_AT,
        progress: { show: () => undefined, clear: () => undefined },
        readStdin: async () => '',
        writeOut: async () => undefined,
      },
      false,
    )
    expect(problems).toEqual([])
    expect(records).toBeGreaterThan(COUNT)
  })
})
