// Indexes texts of the greatest length that a request may have, with the call stack of a function.
import { describe, expect, it } from 'vitest'
import { openIndexWorld } from '../operator/index-world.ts'
import { use } from '../world/use.ts'

const world = use(openIndexWorld)

const HAN = 0x4e00
/** Uses 50 letters, so that there are at most 2,500 pairs. */
function letters(count: number): string {
  return Array.from({ length: count }, (_, n) =>
    String.fromCodePoint(HAN + ((n * 7 + Math.floor(n / 50)) % 50)),
  ).join('')
}

describe('a post of 300 kB', () => {
  it('is found before the worker has merged it', async () => {
    const words = Array.from({ length: 40_000 }, (_, n) => `word${n % 5_000}`).join(' ')
    const id = await world.livePost('Wide', { body: words.slice(0, 299_990) })
    expect(await world.idsFor('wide')).toEqual([id])
  })
})

describe('updateIndex', () => {
  it('makes a post of 300,000 letters without spaces findable by its last two letters', async () => {
    const id = await world.livePost('Long', { body: `${letters(300_000)}東京` })
    expect(await world.idsFor('long')).toEqual([])
    await world.merge()
    expect(await world.idsFor('東京')).toEqual([id])
    expect(await world.idsFor('long')).toEqual([id])
  })
})
