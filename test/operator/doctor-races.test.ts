// The doctor while the service writes between two of its reads, or right before a repair.
import { describe, expect, it } from 'vitest'
import { connectLocally } from '../../infra/local/dynamodb/table.ts'
import { checkRow } from '../../infra/operator/doctor/check-row.ts'
import { posts } from '../../infra/operator/record-types.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { openTable } from '../../shared/table/client.ts'
import { entryKey, type Key, postKey, slugKey, sortable } from '../../shared/table/design.ts'
import { interceptable } from '../support/interceptable.ts'
import { useWorld } from '../support/world.ts'
import { contextOf, targetAt } from './operator-world.ts'

const world = useWorld()

/** A command on a table that calls `interrupt` once, before or after the first call of this name. */
function interrupted(name: string, when: 'before' | 'after', interrupt: () => Promise<unknown>) {
  const client = interceptable(connectLocally(world.dynamodbEndpoint))
  let isDone = false
  client.around(async (next, operation) => {
    const isNow = !isDone && operation === name
    if (isNow) isDone = true
    if (isNow && when === 'before') await interrupt()
    const result = await next()
    if (isNow && when === 'after') await interrupt()
    return result
  })
  return contextOf({ ...targetAt(world), table: openTable(client, world.tableName) })
}

function change(id: number, body: Record<string, unknown>) {
  return world.call(adminPosts.changePost, { token: world.admin, params: { id }, body })
}

function rowOf(id: number, key: Key) {
  return { key, owners: [{ type: posts, key: postKey(id) }] }
}

async function exists(key: Key) {
  return (await world.table.findMany([key])).length > 0
}

describe('the check of an item', () => {
  it('starts again if the record changes', async () => {
    const { id, slug } = await world.create.post()
    const context = interrupted('BatchGetItem', 'after', () => change(id, { slug: 'another' }))
    expect(await checkRow(context, rowOf(id, slugKey(slug)), false)).toEqual([])
  })

  it('reports nothing if the record is deleted', async () => {
    const { id, slug } = await world.create.post()
    const context = interrupted('BatchGetItem', 'after', () =>
      world.call(adminPosts.deletePost, { token: world.admin, params: { id } }),
    )
    expect(await checkRow(context, rowOf(id, slugKey(slug)), true)).toEqual([])
    expect(await exists(slugKey(slug))).toBe(false)
  })

  it('starts again if the record changes right before the repair', async () => {
    const { id } = await world.create.post()
    const drafts = entryKey('drafts:post', sortable(id))
    await world.table.removeMany([drafts])
    const context = interrupted('TransactWriteItems', 'before', () => change(id, { is_published: true }))
    const problems = await checkRow(context, rowOf(id, drafts), true)
    expect(problems.map(({ message }) => message)).toEqual([])
    expect(await exists(drafts)).toBe(false)
    expect(await exists(entryKey('admin:post', sortable(id)))).toBe(true)
  })
})
