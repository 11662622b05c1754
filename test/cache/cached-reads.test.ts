// Reads that are remembered, in a memory that is too small for all of them.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { withCachedReads } from '../../shared/cache/cached-reads.ts'
import { useTable } from '../world/new-table.ts'

const Anything = z.looseObject({ sk: z.string() })
const world = useTable()

function keyOf(name: string) {
  return { pk: 'TEST', sk: name }
}

describe('withCachedReads', () => {
  it('returns a remembered item that leaves the memory while the others are read', async () => {
    const { table } = world
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    await table.putMany(names.map(name => ({ ...keyOf(name), text: 'x'.repeat(500) })))
    let readOthers = async () => {}
    const findMany: typeof table.findMany = async (...args) => {
      await readOthers()
      return await table.findMany(...args)
    }
    const cached = withCachedReads({ ...table, findMany }, 4_000)
    await cached.findMany([keyOf('a')])
    readOthers = async () => {
      for (const name of names.slice(2)) await cached.find(keyOf(name), Anything)
    }
    const items = await cached.findMany([keyOf('a'), keyOf('b')])
    expect(items.map(({ sk }) => sk).sort()).toEqual(['a', 'b'])
  })
})
