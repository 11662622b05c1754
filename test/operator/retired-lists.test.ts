// Lists of a former version: kept exact until the operator deletes them.
import { describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { retiredLists } from '../../shared/posts/lists.ts'
import { createEmpty, expectExact, ordersOf } from '../lists/list-world.ts'
import { useWorld } from '../world/world.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld({ isNew: true })
const RETIRED = retiredLists()

describe('operator drop-retired-lists', () => {
  it('deletes the lists that a former version left, which every change has kept exact until then', async () => {
    const operator = operatorOn(world)
    expect((await operator.run(['drop-retired-lists'])).out).toBe('There is none.\n')
    for (const list of RETIRED) await createEmpty(world.table, list)
    const [kept, gone] = [await world.create.post(), await world.create.post()]
    await world.create.livePost()
    const token = world.admin
    await world.call(adminPosts.changePost, { token, params: { id: kept.id }, body: { title: 'Changed' } })
    await world.call(adminPosts.deletePost, { token, params: { id: gone.id } })
    for (const list of RETIRED) await expectExact(world.table, list)
    expect((await operator.run(['doctor'])).out).toContain('Nothing is wrong.')

    const { dropped } = await operator.json(['drop-retired-lists'])
    expect(dropped).toEqual([
      { list: 'admin:all', entries: 2 },
      { list: 'drafts:all', entries: 1 },
    ])
    await world.call(adminPosts.changePost, { token, params: { id: kept.id }, body: { title: 'Again' } })
    await world.create.post()
    for (const list of RETIRED) {
      expect(await ordersOf(world.table, list)).toEqual([])
      expect(await world.table.findMany([list.root])).toEqual([])
    }
    expect((await operator.run(['doctor'])).out).toContain('Nothing is wrong.')
  })
})
