// Concurrent updates of posting lists: many lists in one transaction, and one list in several transactions.
import { describe, expect, it } from 'vitest'
import { updatePostingLists } from '../../shared/search/commands/update-posting-lists.ts'
import type { Posting } from '../../shared/search/posting.ts'
import { countsOfList } from '../../shared/search/posting-list.ts'
import { allPostings, findPostingList } from '../../shared/search/store/posting-lists.ts'
import { LIGHTEST } from '../../shared/search/weights.ts'
import { openTable } from '../../shared/table/client.ts'
import { openIndexWorld } from '../operator/index-world.ts'
import { use } from '../world/use.ts'

const world = use(openIndexWorld)
const TRANSACT = 'TransactWriteItemsCommand'

function posting(id: number): Posting {
  return { weight: LIGHTEST, posted_at: id, id, is_page: false }
}

/** The changes that add a post to the lists of some terms. */
function addPost(id: number, terms: string[]) {
  return new Map(terms.map(term => [term, { remove: [], add: [posting(id)] }]))
}

async function idsOf(term: string) {
  const list = await findPostingList(world.table, term)
  return list ? (await allPostings(world.table, list)).map(({ id }) => id) : []
}

describe('an update of several posting lists', () => {
  it('is complete although another writer changed one of the lists in between', async () => {
    const otherWriter = () => updatePostingLists(world.table, addPost(2, ['shared', 'other']))
    const client = world.clientWithHookBefore(TRANSACT, 1, otherWriter)
    await updatePostingLists(openTable(client, world.tableName), addPost(1, ['first', 'shared', 'last']))
    expect(await Promise.all(['first', 'shared', 'last', 'other'].map(idsOf))).toEqual([
      [1],
      [2, 1],
      [1],
      [2],
    ])
  })

  it('is repeated in one transaction after a conflict, not list by list', async () => {
    const terms = Array.from({ length: 60 }, (_, n) => `grouped${n}`)
    let transactions = 0
    const client = world.clientWithHook(TRANSACT, async () => {
      if (++transactions === 1) await updatePostingLists(world.table, addPost(4, ['grouped30']))
    })
    await updatePostingLists(openTable(client, world.tableName), addPost(3, terms))
    expect(transactions).toBe(2)
    expect(await idsOf('grouped30')).toEqual([4, 3])
    expect(await idsOf('grouped59')).toEqual([3])
  })

  it('is divided into halves after repeated conflicts', async () => {
    const terms = Array.from({ length: 60 }, (_, n) => `halved${n}`)
    let transactions = 0
    const client = world.clientWithHook(TRANSACT, async () => {
      if (++transactions <= 3) await updatePostingLists(world.table, addPost(4 + transactions, ['halved7']))
    })
    await updatePostingLists(openTable(client, world.tableName), addPost(3, terms))
    // All lists twice, then the first half, which conflicts and is halved, then the second half.
    expect(transactions).toBe(2 + 1 + 2 + 1)
    expect(await idsOf('halved7')).toEqual([7, 6, 5, 3])
    expect(await idsOf('halved59')).toEqual([3])
  })
})

describe('an update of one posting list that needs more actions than a transaction may have', () => {
  const POSTS = 24_000
  const build = async (term: string) => {
    for (let n = 0; n < POSTS; n += 2_000) {
      const add = Array.from({ length: 2_000 }, (_, index) => posting(n + index + 1))
      await updatePostingLists(world.table, new Map([[term, { remove: [], add }]]))
    }
  }
  /** Every hundredth post becomes the newest: its posting moves from its block to the first one. */
  const remove = Array.from({ length: POSTS / 100 }, (_, n) => posting(100 * (n + 1)))
  const add = remove.map(posting => ({ ...posting, posted_at: posting.posted_at + POSTS }))
  const change = { remove, add }
  const after = [
    ...add.map(({ id }) => id).reverse(),
    ...Array.from({ length: POSTS }, (_, n) => POSTS - n).filter(id => id % 100 !== 0),
  ]
  /** Between two transactions, the list contains each post once, and its count is right. */
  const expectConsistent = async (term: string) => {
    const list = await findPostingList(world.table, term)
    if (!list) throw new Error('The posting list is missing.')
    const ids = (await allPostings(world.table, list)).map(({ id }) => id)
    expect(countsOfList(list).posts).toBe(ids.length)
    expect(new Set(ids).size).toBe(POSTS)
  }

  it('writes some posts after the others, and readers find all posts at any moment', async () => {
    await build('common')
    let transactions = 0
    const client = world.clientWithHook(TRANSACT, async () => {
      transactions++
      await expectConsistent('common')
    })
    await updatePostingLists(openTable(client, world.tableName), new Map([['common', change]]))
    expect(transactions).toBeGreaterThan(1)
    expect(await idsOf('common')).toEqual(after)
  })

  it('is completed by the next run after one was killed halfway', async () => {
    await build('broken')
    const client = world.clientWithHookBefore(TRANSACT, 2, async () => {
      throw new Error('The run was killed.')
    })
    const changes = new Map([['broken', change]])
    await expect(updatePostingLists(openTable(client, world.tableName), changes)).rejects.toThrow('killed')
    await expectConsistent('broken')
    await updatePostingLists(world.table, changes)
    expect(await idsOf('broken')).toEqual(after)
  })
})
