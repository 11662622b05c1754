// The doctor and texts that cannot be decompressed: it names them and goes on.
import { beforeEach, describe, expect, it } from 'vitest'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { setMembers } from '../../shared/table/action.ts'
import { bodyKey, docKey, type Key } from '../../shared/table/design.ts'
import { contextOn } from '../import-export/table-context.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'

const world = useTable()
beforeEach(async () => {
  await world.table.removeMany((await world.dump()).map(({ pk, sk }) => ({ pk, sk })))
})

const FAR_AHEAD = Date.parse('2099-01-01T00:00:00Z') / 1000

async function postAt(posted_at: number): Promise<number> {
  const work = unitOfWorkOn(world.table, Date.parse('2026-10-01T00:00:00Z'))
  return (
    await createPost(work, { title: 'Numbat', body: '<p>Words.</p>', is_published: true, posted_at }, 1)
  ).data.id
}

function damage(Key: Key): Promise<void> {
  return world.table.write({ Update: { Key, ...setMembers({ bytes: Uint8Array.of(1, 2, 3) }) } })
}

async function problems(repair = false) {
  const { problems } = await diagnose(contextOn(world), repair)
  return problems.map(({ subject, message }) => `${subject}: ${message}`)
}

describe('the doctor', () => {
  it('finds and repairs a document of the search index that cannot be read', async () => {
    const id = await postAt(1_700_000_000)
    const before = await problems()
    await damage(docKey(id))
    expect(await problems(true)).toContain(`search index of post ${id}: cannot be read.`)
    expect(await problems()).toEqual(before.filter(line => !line.startsWith('search index')))
  })

  it.each([
    ['a live', 1_700_000_000],
    ['a scheduled', FAR_AHEAD],
  ])('names a body of %s post that cannot be read', async (_what, posted_at) => {
    const id = await postAt(posted_at)
    await damage(bodyKey(id))
    expect(await problems()).toContain(`post ${id}: its body cannot be read. It cannot be restored.`)
  })
})
