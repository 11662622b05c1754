// Plans that writers made before the doctor made a node anew: they are refused, whatever the new node is like.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examineList } from '../../infra/operator/doctor/list.ts'
import { STALE } from '../../shared/table/action.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { type List, planMoves } from '../../shared/table/counted-list.ts'
import { middleKey } from '../../shared/table/design.ts'
import { middleSchema } from '../../shared/table/list.ts'
import { at, change, expectExact, fixedList, some } from '../table/list-world.ts'
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
const setStructure = ({ root }: List, structure: number) =>
  table.write({
    Update: {
      Key: root,
      UpdateExpression: 'SET #structure = :structure',
      ExpressionAttributeNames: { '#structure': 'structure' },
      ExpressionAttributeValues: { ':structure': structure },
    },
  })

describe('a plan of several entries', () => {
  it.each([0, 1, 2, 3, 4])('is refused once the doctor has made its node anew, %i steps on', async steps => {
    const list = fixedList(`steps-${steps}`, 'ascending')
    const node = middleKey(list.name, '')
    for (let n = 0; n < 20; n += 5) await change(table, [], some(list, n, 5), SIZES)
    const read = await table.find(node, middleSchema)
    const { actions } = await planMoves(table, [], [at(list, '0001a'), at(list, '0010a')], SIZES)
    await table.removeMany([node])
    await setStructure(list, (read?.structure ?? 0) - steps)
    expect(await examineList(table, list, true)).toHaveLength(1)
    await expect(table.transact(actions)).rejects.toMatchObject({ reasons: [STALE] })
    await expectExact(table, list)
  })
})
