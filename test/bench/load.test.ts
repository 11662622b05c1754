// A site that was loaded in bulk has the same items as one that was written post by post.
import { beforeAll, describe, expect, it } from 'vitest'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { targetOn } from '../import-export/table-context.ts'
import { contextOf } from '../operator/operator-world.ts'
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
    const { problems, records } = await diagnose(contextOf(targetOn(world), LOADED_AT * 1000), false)
    expect(problems).toEqual([])
    expect(records).toBeGreaterThan(COUNT)
  })
})
