// Terms that two writers change at once: what one transaction carries for many is written term by term where it must.
import { describe, expect, it } from 'vitest'
import { changeTerms } from '../../shared/search/commands/change-terms.ts'
import type { Posting } from '../../shared/search/posting.ts'
import { allPostings, termNamed } from '../../shared/search/store/terms.ts'
import { countOf } from '../../shared/search/term.ts'
import { LIGHTEST } from '../../shared/search/weights.ts'
import { openTable } from '../../shared/table/client.ts'
import { openIndexWorld } from '../operator/index-world.ts'
import { use } from '../world/use.ts'

const world = use(openIndexWorld)

function posting(id: number): Posting {
  return { weight: LIGHTEST, posted_at: id, id, is_page: false }
}

function entering(id: number, names: string[]) {
  return new Map(names.map(name => [name, { remove: [], add: [posting(id)] }]))
}

async function idsOf(name: string) {
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

describe('a change of one term that needs more actions than a transaction may have', () => {
  const POSTS = 24_000
  const build = async (name: string) => {
    for (let n = 0; n < POSTS; n += 2_000) {
      const add = Array.from({ length: 2_000 }, (_, one) => posting(n + one + 1))
      await changeTerms(world.table, new Map([[name, { remove: [], add }]]))
    }
  }
  /** Each hundredth post becomes the newest: one posting leaves each block, and all of them enter the first one. */
  const moved = Array.from({ length: POSTS / 100 }, (_, n) => posting(100 * (n + 1)))
  const renewed = moved.map(one => ({ ...one, posted_at: one.posted_at + POSTS }))
  const change = { remove: moved, add: renewed }
  const after = [
    ...renewed.map(({ id }) => id).reverse(),
    ...Array.from({ length: POSTS }, (_, n) => POSTS - n).filter(id => id % 100 !== 0),
  ]
  /** What a reader finds between two transactions: as many postings as the term counts, each post at most once. */
  const expectWhole = async (name: string) => {
    const [term] = await termNamed(world.table, name)
    if (!term) throw new Error('The term is gone.')
    const ids = (await allPostings(world.table, term)).map(({ id }) => id)
    expect(countOf(term).posts).toBe(ids.length)
    expect(new Set(ids).size).toBe(POSTS)
  }

  it('is written for some posts after the others, and readers find all posts at any moment', async () => {
    await build('common')
    let transactions = 0
    const client = world.interruptedEach('TransactWriteItemsCommand', async () => {
      transactions++
      await expectWhole('common')
    })
    await changeTerms(openTable(client, world.tableName), new Map([['common', change]]))
    expect(transactions).toBeGreaterThan(1)
    expect(await idsOf('common')).toEqual(after)
  })

  it('is completed by the next run where one broke off in the middle', async () => {
    await build('broken')
    const client = world.interrupted('TransactWriteItemsCommand', 2, async () => {
      throw new Error('The run was killed.')
    })
    const changes = new Map([['broken', change]])
    await expect(changeTerms(openTable(client, world.tableName), changes)).rejects.toThrow('killed')
    await expectWhole('broken')
    await changeTerms(world.table, changes)
    expect(await idsOf('broken')).toEqual(after)
  })
})
