// How many deliveries a process takes: those that hang leave the places of others free.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hasRoom, whileInFlight } from '../../shared/webhooks/commands/in-flight.ts'
import { useTable } from '../world/new-table.ts'

const world = useTable()

/** Starts deliveries, which end with the returned function. */
function start(count: number): () => Promise<unknown> {
  const ends: (() => void)[] = []
  const all = Array.from({ length: count }, () =>
    whileInFlight(world.table, () => new Promise<void>(resolve => ends.push(resolve))),
  )
  return () => {
    for (const end of ends) end()
    return Promise.all(all)
  }
}

describe('a process that delivers', () => {
  it('takes no more messages with 200 new deliveries, and more when they hang or end', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => clock.mockRestore())
    const endFirst = start(199)
    expect(hasRoom(world.table)).toBe(true)
    const endSecond = start(1)
    expect(hasRoom(world.table)).toBe(false)
    clock.mockReturnValue(1_001)
    expect(hasRoom(world.table)).toBe(true)
    const endThird = start(200)
    expect(hasRoom(world.table)).toBe(false)
    await endThird()
    expect(hasRoom(world.table)).toBe(true)
    await Promise.all([endFirst(), endSecond()])
  })

  it('takes no more messages with 600 deliveries that hang', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => clock.mockRestore())
    const endFirst = start(599)
    clock.mockReturnValue(1_001)
    expect(hasRoom(world.table)).toBe(true)
    const endLast = start(1)
    clock.mockReturnValue(2_002)
    expect(hasRoom(world.table)).toBe(false)
    await endLast()
    expect(hasRoom(world.table)).toBe(true)
    await endFirst()
  })
})
