// Texts as long as a request may bring them, in the stack that a function has: this process has no larger one.
import { describe, expect, it } from 'vitest'
import { openIndexWorld } from '../operator/index-world.ts'
import { use } from '../world/use.ts'

const world = use(openIndexWorld)

const HAN = 0x4e00
/** Of 50 letters, so that they make 2,500 pairs at most. */
function letters(count: number): string {
  return Array.from({ length: count }, (_, n) =>
    String.fromCodePoint(HAN + ((n * 7 + Math.floor(n / 50)) % 50)),
  ).join('')
}

describe('a post of 300,000 letters without spaces', () => {
  it('is found by its last two letters', async () => {
    const id = await world.livePost('Long', { body: `${letters(300_000)}東京` })
    await world.index(id)
    expect(await world.idsFor('東京')).toEqual([id])
  })
})
