// A site that was loaded in bulk has the same items as one that was written post by post.
import { beforeAll, describe, expect, it } from 'vitest'
import { TABLE_OUTPUT } from '../../infra/names.ts'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { localClients } from '../../infra/operator/local-clients.ts'
import { targetOf } from '../../infra/operator/target.ts'
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
    const target = targetOf({
      ...localClients({ dynamodb: world.endpoint, sqs: world.endpoint }),
      outputs: { [TABLE_OUTPUT]: world.tableName },
      ownUrl: 'https://site.example',
      label: 'a generated site',
      openSecrets: () => Promise.reject(new Error('No secret is needed.')),
      close: async () => undefined,
    })
    const { problems, records } = await diagnose(
      {
        target,
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
