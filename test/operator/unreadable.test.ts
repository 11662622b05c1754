// The doctor and texts that cannot be decompressed: it names them and goes on.
import { beforeEach, describe, expect, it } from 'vitest'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { setMembers } from '../../shared/table/action.ts'
import { bodyKey, docKey, type Key } from '../../shared/table/design.ts'
import { empty } from '../import-export/table-context.ts'
import { use } from '../support/use.ts'
import { openIndexWorld } from './index-world.ts'
import { linesOf } from './operator-world.ts'

const world = use(openIndexWorld)
beforeEach(() => empty(world))

const FAR_AHEAD = Date.parse('2099-01-01T00:00:00Z') / 1000

const BROKEN = { bytes: Uint8Array.of(1, 2, 3) }

function damage(Key: Key, members: Record<string, unknown> = BROKEN): Promise<void> {
  return world.table.write({ Update: { Key, ...setMembers(members) } })
}

async function problems(repair = false) {
  return linesOf((await diagnose(world.contextOn(), repair)).problems)
}

describe('the doctor', () => {
  it.each([
    ['bytes cannot be read', BROKEN, 'searches find other words of it.'],
    [
      'members are missing',
      { ...BROKEN, revision: undefined, digest: undefined },
      'the search index is out of date for it.',
    ],
  ])(
    'names the post of a document of the search index whose %s, and rebuilds the index',
    async (_what, members, message) => {
      const id = await world.livePost('Numbat')
      await world.merge()
      await damage(docKey(id), members)
      const found = [`post ${id}: ${message}`, `search index of post ${id}: cannot be read.`]
      expect(await problems()).toEqual(found)
      expect(await problems(true)).toEqual(found)
      expect(await problems()).toEqual([])
      expect(await world.idsFor('numbat')).toEqual([id])
    },
  )

  it('repairs such a document of a post that the index does not have yet', async () => {
    const id = await world.livePost('Numbat')
    const before = await problems()
    await damage(docKey(id))
    expect(await problems(true)).toContain(`search index of post ${id}: cannot be read.`)
    expect(await problems()).toEqual(before)
    expect(await world.idsFor('numbat')).toEqual([id])
  })

  it.each([
    ['a live', 1_700_000_000],
    ['a scheduled', FAR_AHEAD],
  ])('names a body of %s post that cannot be read', async (_what, posted_at) => {
    const id = await world.livePost('Numbat', { body: '<p>Words.</p>', posted_at })
    await damage(bodyKey(id))
    expect(await problems()).toContain(`post ${id}: its body cannot be read. It cannot be restored.`)
  })
})
