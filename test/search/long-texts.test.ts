// Texts as long as a request may bring them, in the stack that a function has: this process has no larger one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openIndexWorld } from '../operator/index-world.ts'

let world: Awaited<ReturnType<typeof openIndexWorld>>
beforeAll(async () => {
  world = await openIndexWorld()
})
afterAll(() => world.stop())

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
