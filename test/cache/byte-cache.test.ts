// A cache that is bounded in bytes, and reads that are remembered in one that is too small for all of them.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { approximateBytes, openByteCache } from '../../shared/cache/byte-cache.ts'
import { withCachedReads } from '../../shared/cache/cached-reads.ts'
import { useTable } from '../support/new-table.ts'

function openCache(maxBytes: number) {
  return openByteCache<string>(maxBytes, value => value.length)
}

describe('openByteCache', () => {
  it('drops the entry that was not used for the longest time when it is full', () => {
    const cache = openCache(3 * 12)
    for (const name of ['a', 'b', 'c']) cache.set(name, 'x'.repeat(10))
    cache.get('a')
    cache.set('d', 'x'.repeat(10))
    expect(['a', 'b', 'c', 'd'].filter(name => cache.get(name) !== undefined)).toEqual(['a', 'c', 'd'])
  })

  it('does not keep a value that is larger than the whole cache, and keeps the others', () => {
    const cache = openCache(50)
    cache.set('small', 'x')
    cache.set('large', 'x'.repeat(51))
    expect([cache.get('small'), cache.get('large')]).toEqual(['x', undefined])
  })

  it('counts a replaced value once', () => {
    const cache = openCache(30)
    for (let n = 0; n < 100; n++) cache.set('a', 'x'.repeat(10))
    cache.set('b', 'x'.repeat(10))
    expect([cache.get('a'), cache.get('b')]).toEqual(['x'.repeat(10), 'x'.repeat(10)])
  })
})

describe('approximateBytes', () => {
  it('grows with texts, bytes and members, at any depth', () => {
    const sizes = [1, [], ['x'], ['x', 'y'], { a: ['x', 'y'] }, { a: [new Uint8Array(1_000)] }].map(
      approximateBytes,
    )
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
    expect(approximateBytes('x'.repeat(1_000))).toBeGreaterThanOrEqual(2_000)
  })
})

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
