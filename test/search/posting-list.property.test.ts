// Compares a posting list with a plain array after random changes: every page, every count, and an empty end.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { updatePostingLists } from '../../shared/search/commands/update-posting-lists.ts'
import { byRank, type Posting, packPostings, unpackPostings } from '../../shared/search/posting.ts'
import { countsOfList, isLarge } from '../../shared/search/posting-list.ts'
import { allPostings, findPostingList, pageOfPostings } from '../../shared/search/store/posting-lists.ts'
import { LIGHTEST, WEIGHTS } from '../../shared/search/weights.ts'
import { useTable } from '../world/new-table.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const world = useTable()

const posting = fc.record({
  id: fc.integer({ min: 1, max: 3_000 }),
  weight: fc.oneof({ weight: 3, arbitrary: fc.constant(LIGHTEST) }, fc.constantFrom(...WEIGHTS)),
  posted_at: fc.oneof(
    fc.integer({ min: 1_700_000_000, max: 1_700_000_020 }),
    fc.constantFrom(-62_167_219_200, 253_402_300_799),
  ),
  is_page: fc.boolean(),
})
/** Adds posts, some of them again with other values, adds newer posts, and removes some. */
const step = fc.record({
  added: fc.array(posting, { maxLength: 90 }),
  newest: fc.nat(80),
  removed: fc.array(fc.nat(3_000), { maxLength: 60 }),
})

function byId(postings: Posting[]) {
  return new Map(postings.map(posting => [posting.id, posting]))
}

describe('random postings', () => {
  it('are the same after packing and unpacking', () => {
    fc.assert(
      fc.property(fc.array(posting), postings => {
        const sorted = postings.sort(byRank)
        expect(unpackPostings(packPostings(sorted))).toEqual(sorted)
      }),
      { seed },
    )
  })

  it('are on the right pages of their list with right counts after every change, and its items are deleted with the last one', async () => {
    let count = 0
    let largest = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async steps => {
        const term = `term${++count}`
        const model = new Map<number, Posting>()
        let clock = 1_800_000_000
        for (const { added, newest, removed } of steps) {
          const newer = Array.from({ length: newest }, (_, n) => ({
            id: ++clock,
            weight: LIGHTEST,
            posted_at: clock,
            is_page: n % 9 === 0,
          }))
          const add = [...byId([...added, ...newer]).values()]
          const leaving = removed.flatMap(nth => [...model.values()][nth] ?? [])
          const remove = [...leaving, ...add.flatMap(({ id }) => model.get(id) ?? [])]
          const change = { remove, add }
          const changes = new Map([[term, change]])
          await updatePostingLists(world.table, changes)
          await updatePostingLists(world.table, changes)
          for (const { id } of leaving) model.delete(id)
          for (const posting of add) model.set(posting.id, posting)
          largest = Math.max(largest, model.size)
          await expectExact(term, [...model.values()].sort(byRank))
        }
        await updatePostingLists(world.table, new Map([[term, { remove: [...model.values()], add: [] }]]))
        expect((await world.dump()).filter(({ pk }) => pk.endsWith(`#${term}`))).toEqual([])
      }),
      { seed, numRuns: 12 },
    )
    // Smaller lists have one block and would prove little.
    expect(largest).toBeGreaterThan(300)
  })
})

async function expectExact(term: string, model: Posting[]) {
  const list = await findPostingList(world.table, term)
  if (!list) return expect(model).toEqual([])
  const { posts, pages } = countsOfList(list)
  expect(await allPostings(world.table, list)).toEqual(model)
  expect(posts + pages).toBe(model.length)
  expect(pages).toBe(model.filter(({ is_page }) => is_page).length)
  for (const skip of [0, Math.floor(model.length / 2), Math.max(0, model.length - 3)]) {
    const page = { skip, take: 7 }
    expect(await pageOfPostings(world.table, list, { types: 'all', ...page })).toEqual(
      model.slice(skip, skip + 7),
    )
    const posts = model.filter(({ is_page }) => !is_page)
    expect(await pageOfPostings(world.table, list, { types: 'posts', ...page })).toEqual(
      posts.slice(skip, skip + 7),
    )
  }
  if (isLarge(list)) expect(list.blocks.every(({ bound }) => WEIGHTS.includes(bound.weight))).toBe(true)
}
