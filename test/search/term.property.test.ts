// A term's postings against a plain array: random changes, every page, every count, and nothing left behind.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeTerms } from '../../shared/search/commands/change-terms.ts'
import { byRank, type Posting, packPostings, unpackPostings } from '../../shared/search/posting.ts'
import { allPostings, somePostings, termNamed } from '../../shared/search/store/terms.ts'
import { countOf, isLarge } from '../../shared/search/term.ts'
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
/** Posts enter, some again with other values, and some leave. */
const step = fc.record({
  enter: fc.array(posting, { maxLength: 90 }),
  newest: fc.nat(80),
  leave: fc.array(fc.nat(3_000), { maxLength: 60 }),
})

function byId(postings: Posting[]) {
  return new Map(postings.map(one => [one.id, one]))
}

describe('postings', () => {
  it('are the same after packing, whatever their numbers', () => {
    fc.assert(
      fc.property(fc.array(posting), postings => {
        const sorted = postings.sort(byRank)
        expect(unpackPostings(packPostings(sorted))).toEqual(sorted)
      }),
      { seed },
    )
  })

  it('are as they should be after every change, on every page', async () => {
    let count = 0
    let largest = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async steps => {
        const name = `term${++count}`
        const model = new Map<number, Posting>()
        let clock = 1_800_000_000
        for (const { enter, newest, leave } of steps) {
          const ahead = Array.from({ length: newest }, (_, n) => ({
            id: ++clock,
            weight: LIGHTEST,
            posted_at: clock,
            is_page: n % 9 === 0,
          }))
          const add = [...byId([...enter, ...ahead]).values()]
          const leaving = leave.flatMap(nth => [...model.values()][nth] ?? [])
          const remove = [...leaving, ...add.flatMap(({ id }) => model.get(id) ?? [])]
          const change = { remove, add }
          const changes = new Map([[name, change]])
          await changeTerms(world.table, changes)
          await changeTerms(world.table, changes)
          for (const { id } of leaving) model.delete(id)
          for (const one of add) model.set(one.id, one)
          largest = Math.max(largest, model.size)
          await expectExact(name, [...model.values()].sort(byRank))
        }
        await changeTerms(world.table, new Map([[name, { remove: [...model.values()], add: [] }]]))
        expect((await world.dump()).filter(({ pk }) => pk.endsWith(`#${name}`))).toEqual([])
      }),
      { seed, numRuns: 12 },
    )
    // A history that never left the first block would prove little.
    expect(largest).toBeGreaterThan(300)
  })
})

async function expectExact(name: string, model: Posting[]) {
  const [term] = await termNamed(world.table, name)
  if (!term) return expect(model).toEqual([])
  const { posts, pages } = countOf(term)
  expect(await allPostings(world.table, term)).toEqual(model)
  expect(posts + pages).toBe(model.length)
  expect(pages).toBe(model.filter(({ is_page }) => is_page).length)
  for (const skip of [0, Math.floor(model.length / 2), Math.max(0, model.length - 3)]) {
    const asked = { skip, take: 7 }
    expect(await somePostings(world.table, term, { kinds: 'all', ...asked })).toEqual(
      model.slice(skip, skip + 7),
    )
    const posts = model.filter(({ is_page }) => !is_page)
    expect(await somePostings(world.table, term, { kinds: 'posts', ...asked })).toEqual(
      posts.slice(skip, skip + 7),
    )
  }
  if (isLarge(term)) expect(term.blocks.every(({ bound }) => WEIGHTS.includes(bound.weight))).toBe(true)
}
