// The cache of public profiles: one read a minute, and complete however many profiles are asked for.
import { describe, expect, it } from 'vitest'
import { findAuthors, readAuthors } from '../../shared/accounts/store/authors.ts'
import { authorKey } from '../../shared/table/design.ts'
import { useTable } from '../world/new-table.ts'

const world = useTable()

const MANY = 5_100
const NOW_MS = 1_000_000

function put(id: number, name: string) {
  return { Put: { Item: { ...authorKey(id), id, name, avatar: null } } }
}

describe('findAuthors and readAuthors', () => {
  it('reads a profile at most once a minute', async () => {
    await world.table.transact([put(1, 'Ada'), put(2, 'Grace')])
    const ask = (nowMs: number) => world.measure(() => findAuthors(world.table, [1, 2, 1, 3], nowMs))
    const first = await ask(NOW_MS)
    expect([...first.result.values()].map(({ name }) => name)).toEqual(['Ada', 'Grace'])
    // The cache also remembers that the third does not exist.
    expect([first.used.calls, (await ask(NOW_MS + 59_999)).used.calls]).toEqual([1, 0])

    await world.table.transact([put(1, 'Ada Lovelace')])
    const later = await ask(NOW_MS + 60_000)
    expect(later.result.get(1)?.name).toBe('Ada Lovelace')
  })

  it('reads current profiles for the events of a write, and updates the cache', async () => {
    await world.table.transact([put(4, 'Mary')])
    await findAuthors(world.table, [4], NOW_MS)
    await world.table.transact([put(4, 'Mary Somerville')])
    for (const read of [readAuthors, findAuthors]) {
      expect((await read(world.table, [4], NOW_MS)).get(4)?.name).toBe('Mary Somerville')
    }
  })

  it('returns all profiles when there are more than the cache holds', async () => {
    const ids = Array.from({ length: MANY }, (_, n) => n + 10)
    for (let at = 0; at < MANY; at += 100) {
      await world.table.transact(ids.slice(at, at + 100).map(id => put(id, `Author ${id}`)))
    }
    for (const requestedIds of [ids, ids.slice(0, 5), ids.slice(-5)]) {
      expect((await findAuthors(world.table, requestedIds, NOW_MS)).size).toBe(requestedIds.length)
    }
  })
})
