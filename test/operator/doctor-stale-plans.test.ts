// A list change that was planned before the doctor rebuilt a node fails, whatever the new node is like.
import { beforeAll, describe, expect, it } from 'vitest'
import { checkList } from '../../infra/operator/doctor/check-list.ts'
import { type List, planListChanges } from '../../shared/lists/counted-list.ts'
import { innerNodeSchema } from '../../shared/lists/list.ts'
import { CONFLICT } from '../../shared/table/action.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { innerNodeKey } from '../../shared/table/design.ts'
import { change, expectExact, fixedList, newEntries, newEntry } from '../lists/list-world.ts'
import { useTable } from '../world/new-table.ts'

const SIZES = { range: 4, node: 40 }

const world = useTable()
let table: Table
beforeAll(async () => {
  table = openTable(world.client, world.tableName, SIZES)
})

/** Were the new version counted on from the root's, it could equal the version in an old plan. */
function setShapeVersion({ root }: List, version: number) {
  return table.write({
    Update: {
      Key: root,
      UpdateExpression: 'SET #shape_version = :shape_version',
      ExpressionAttributeNames: { '#shape_version': 'shape_version' },
      ExpressionAttributeValues: { ':shape_version': version },
    },
  })
}

describe('a planned change of several entries', () => {
  it.each([0, 1, 2, 3, 4])('fails after the doctor rebuilt its node, %i versions later', async steps => {
    const list = fixedList(`steps-${steps}`, 'ascending')
    const node = innerNodeKey(list.name, '')
    for (let n = 0; n < 20; n += 5) await change(table, [], newEntries(list, n, 5), SIZES)
    const read = await table.find(node, innerNodeSchema)
    const { actions } = await planListChanges(
      table,
      [],
      [newEntry(list, '0001a'), newEntry(list, '0010a')],
      SIZES,
    )
    await table.removeMany([node])
    await setShapeVersion(list, (read?.shapeVersion ?? 0) - steps)
    expect(await checkList(table, list, true)).toHaveLength(1)
    await expect(table.transact(actions)).rejects.toMatchObject({ reasons: [CONFLICT] })
    await expectExact(table, list)
  })
})
