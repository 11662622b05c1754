// Plans that writers made before the doctor made a node anew: they are refused, whatever the new node is like.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examineList } from '../../infra/operator/doctor/list.ts'
import { type List, planListChanges } from '../../shared/lists/counted-list.ts'
import { innerNodeSchema } from '../../shared/lists/list.ts'
import { CONFLICT } from '../../shared/table/action.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { innerNodeKey } from '../../shared/table/design.ts'
import { at, change, expectExact, fixedList, some } from '../lists/list-world.ts'
import { newTable } from '../world/new-table.ts'
import type { TableWorld } from '../world/table.ts'

const SIZES = { range: 4, node: 40 }

let world: TableWorld
let table: Table
beforeAll(async () => {
  world = await newTable()
  table = openTable(world.client, world.tableName, SIZES)
})
afterAll(() => world.stop())

/** Numbered on from the root, the new node would some time have the number that an old plan has read. */
function setStructure({ root }: List, structure: number) {
  return table.write({
    Update: {
      Key: root,
      UpdateExpression: 'SET #structure = :structure',
      ExpressionAttributeNames: { '#structure': 'structure' },
      ExpressionAttributeValues: { ':structure': structure },
    },
  })
}

describe('a plan of several entries', () => {
  it.each([0, 1, 2, 3, 4])('is refused once the doctor has made its node anew, %i steps on', async steps => {
    const list = fixedList(`steps-${steps}`, 'ascending')
    const node = innerNodeKey(list.name, '')
    for (let n = 0; n < 20; n += 5) await change(table, [], some(list, n, 5), SIZES)
    const read = await table.find(node, innerNodeSchema)
    const { actions } = await planListChanges(table, [], [at(list, '0001a'), at(list, '0010a')], SIZES)
    await table.removeMany([node])
    await setStructure(list, (read?.shapeVersion ?? 0) - steps)
    expect(await examineList(table, list, true)).toHaveLength(1)
    await expect(table.transact(actions)).rejects.toMatchObject({ reasons: [CONFLICT] })
    await expectExact(table, list)
  })
})
