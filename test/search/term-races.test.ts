// Terms that two writers change at once: what one transaction carries for many is written term by term where it must.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Posting } from '../../shared/search/posting.ts'
import { allPostings, termNamed } from '../../shared/search/term-read.ts'
import { changeTerms } from '../../shared/search/term-store.ts'
import { openTable } from '../../shared/table/client.ts'
import { openIndexWorld } from '../operator/index-world.ts'

let world: Awaited<ReturnType<typeof openIndexWorld>>
beforeAll(async () => {
  world = await openIndexWorld()
})
afterAll(() => world.stop())

const posting = (id: number): Posting => ({ weight: 1, posted_at: id, id, is_page: false })
const entering = (id: number, names: string[]) =>
  new Map(names.map(name => [name, { remove: [], add: [posting(id)] }]))
const idsOf = async (name: string) => {
  const [term] = await termNamed(world.table, name)
  return term ? (await allPostings(world.table, term)).map(({ id }) => id) : []
}

describe('a change of several terms', () => {
  it('is whole though another writer was faster with one of them', async () => {
    const faster = () => changeTerms(world.table, entering(2, ['shared', 'other']))
    const client = world.interrupted('TransactWriteItemsCommand', 1, faster)
    await changeTerms(openTable(client, world.tableName), entering(1, ['first', 'shared', 'last']))
    expect(await Promise.all(['first', 'shared', 'last', 'other'].map(idsOf))).toEqual([
      [1],
      [2, 1],
      [1],
      [2],
    ])
  })

  it('is planned again as a group where another writer was faster, never term by term', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `grouped${n}`)
    let transactions = 0
    const client = world.interruptedEach('TransactWriteItemsCommand', async () => {
      if (++transactions === 1) await changeTerms(world.table, entering(4, ['grouped30']))
    })
    await changeTerms(openTable(client, world.tableName), entering(3, names))
    expect(transactions).toBe(2)
    expect(await idsOf('grouped30')).toEqual([4, 3])
    expect(await idsOf('grouped59')).toEqual([3])
  })

  it('is halved where others are faster again and again', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `halved${n}`)
    let transactions = 0
    const client = world.interruptedEach('TransactWriteItemsCommand', async () => {
      if (++transactions <= 3) await changeTerms(world.table, entering(4 + transactions, ['halved7']))
    })
    await changeTerms(openTable(client, world.tableName), entering(3, names))
    // The whole twice, then its first half, which is halved and refused no more.
    expect(transactions).toBe(2 + 1 + 2 + 1)
    expect(await idsOf('halved7')).toEqual([7, 6, 5, 3])
    expect(await idsOf('halved59')).toEqual([3])
  })
})
