// What former versions read: kept up to date until the operator deletes it.
import { describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { retiredLists } from '../../shared/posts/lists.ts'
import { entryKey } from '../../shared/table/design.ts'
import { createEmpty, expectExact, ordersOf } from '../lists/list-world.ts'
import { useWorld } from '../world/world.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld({ isNew: true })
const RETIRED = retiredLists()

describe('operator drop-retired', () => {
  it('deletes lists that a former version left, kept up to date until then', async () => {
    const operator = operatorOn(world)
    expect((await operator.json(['drop-retired'])).dropped).toEqual([])
    for (const list of RETIRED) await createEmpty(world.table, list)
    const [kept, gone] = [await world.create.post(), await world.create.post()]
    await world.create.livePost()
    const token = world.admin
    await world.call(adminPosts.changePost, { token, params: { id: kept.id }, body: { title: 'Changed' } })
    await world.call(adminPosts.deletePost, { token, params: { id: gone.id } })
    for (const list of RETIRED) await expectExact(world.table, list)
    expect((await operator.run(['doctor'])).out).toContain('Nothing is wrong.')

    const { dropped } = await operator.json(['drop-retired'])
    expect(dropped).toEqual([
      { list: 'admin:all', entries: 2 },
      { list: 'drafts:all', entries: 1 },
    ])
    await world.call(adminPosts.changePost, { token, params: { id: kept.id }, body: { title: 'Again' } })
    await world.create.livePost()
    for (const list of RETIRED) {
      expect(await ordersOf(world.table, list)).toEqual([])
      expect(await world.table.findMany([list.root])).toEqual([])
    }
    expect((await operator.run(['doctor'])).out).toContain('Nothing is wrong.')
  })

  it('deletes the entries that an interrupted run has left', async () => {
    const [list] = RETIRED
    if (!list) throw new Error('There is no retired list.')
    await world.table.putMany([{ ...entryKey(list.name, '1'), item: { id: 1 } }])
    const operator = operatorOn(world)
    const found = await operator.json(['doctor'], { code: 1 })
    expect(JSON.stringify(found)).toContain('has 1 entries left, but only former versions read it')
    await operator.json(['drop-retired'])
    expect(await ordersOf(world.table, list)).toEqual([])
  })
})
