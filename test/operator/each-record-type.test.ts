// Every record type, as it is declared: the doctor on the records that the examples create.
import { beforeAll, describe, expect, it } from 'vitest'
import { differencesOf } from '../../infra/operator/doctor/check-row.ts'
import type { Dependent, RecordType } from '../../infra/operator/record-type.ts'
import { RECORD_TYPES } from '../../infra/operator/record-types.ts'
import type { List } from '../../shared/lists/counted-list.ts'
import type { Item } from '../../shared/table/design.ts'
import { nameOf, openExamples } from '../openapi/send-example.ts'
import { ENDPOINTS } from '../support/endpoints.ts'
import { dumpAt } from '../support/table.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'
import { linesOf, operatorOn } from './operator-world.ts'

type Sample = { type: RecordType; record: Item; rootOf: List | undefined; items: Dependent[] }

const world = useWorld({ isNew: true })
const operator = operatorOn(world)
beforeAll(async () => {
  const examples = openExamples(world)
  for (const { endpoint } of ENDPOINTS.filter(({ name }) => /^POST [^{]+$/.test(name))) {
    const { status, text } = await examples.send(endpoint)
    if (status !== endpoint.status) throw new Error(`${nameOf(endpoint)} answered ${status} ${text}`)
  }
  await until('nothing to be left to do', () => world.isIdle())
})

function dump(): Promise<Item[]> {
  return dumpAt(world.dynamodbEndpoint, world.tableName)
}

/** For each type, the record on which most depends, with what the doctor can restore of it. */
async function samples(): Promise<Sample[]> {
  const all = await dump()
  const ofTypes = RECORD_TYPES.map(async type => {
    const records = all.filter(type.isRecord).map(async record => {
      const { dependents = [], rootOf } = (await type.read(record, world.table)) ?? {}
      return { type, record, rootOf, items: dependents.filter(({ isIrreplaceable }) => !isIrreplaceable) }
    })
    const sample = (await Promise.all(records)).sort((a, b) => b.items.length - a.items.length)[0]
    if (!sample) throw new Error(`No example of a POST endpoint creates a record of ${type.kinds[0]}.`)
    return sample
  })
  return await Promise.all(ofTypes)
}

async function expectHealthy(): Promise<void> {
  await until('the service to finish its cleanup', () => world.isIdle())
  const { out } = await operator.run(['doctor', '--repair'])
  expect(out).toContain('Nothing is wrong.')
}

describe('each record type', () => {
  it('has an example record, in which the doctor finds no problem', async () => {
    expect((await samples()).map(({ type }) => type)).toEqual(RECORD_TYPES)
    await expectHealthy()
  })

  it('gets its list entries, locks and rows back from doctor --repair', async () => {
    const missing = await samples()
    await world.table.removeMany(
      missing.flatMap(({ items }) => items.map(({ item: { pk, sk } }) => ({ pk, sk }))),
    )
    const expected = missing.flatMap(({ type, record, items }) =>
      items.map(({ item }) => `${type.labelOf(record)}: its ${type.dependentAt(item)?.name} is missing.`),
    )
    const { problems } = await operator.json(['doctor', '--repair'])
    expect(linesOf(problems)).toEqual(expect.arrayContaining(expected))
    const all = new Map((await dump()).map(item => [`${item.pk} ${item.sk}`, item]))
    const wrong = missing.flatMap(({ type, items }) =>
      items.filter(expected => {
        const { pk, sk } = expected.item
        const found = all.get(`${pk} ${sk}`)
        return !found || differencesOf(expected, found, type.dependentAt(found)?.compared).length > 0
      }),
    )
    expect(wrong).toEqual([])
    await expectHealthy()
  })

  it('leaves no list entries, locks and rows after doctor --repair when a record was deleted', async () => {
    const deleted = await samples()
    await world.table.removeMany(deleted.map(({ record: { pk, sk } }) => ({ pk, sk })))
    // The entries of a list end with the record that is its root.
    const ended = new Set(deleted.map(({ rootOf }) => rootOf?.name))
    const expected = deleted.flatMap(({ type, record, items }) =>
      items
        .filter(({ listEntry }) => !listEntry || !ended.has(listEntry.list.name))
        .map(
          ({ item }) =>
            `${type.labelOf(record)}: does not exist, but its ${type.dependentAt(item)?.name} does.`,
        ),
    )
    const { problems } = await operator.json(['doctor', '--repair'])
    expect(linesOf(problems)).toEqual(expect.arrayContaining(expected))
    await expectHealthy()
  })
})
