// How many deliveries a process makes at the same time: those that hang leave their places to others.
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { JobContext } from '../../shared/runtime/job.ts'
import { sideBySide } from '../../shared/webhooks/commands/side-by-side.ts'
import { deliveriesMessage } from '../../shared/webhooks/delivery.ts'
import { use } from '../world/use.ts'
import { newEvent } from './subscriptions.ts'
import { startWorkers } from './workers.ts'

const workers = use(startWorkers)

const MESSAGES = 12
const IN_MESSAGE = 25
/** Two messages fill the places of a process. */
const MOST_AT_ONCE = 2 * IN_MESSAGE

/** Returns the most deliveries that were under way together, and how many had begun after `ms`. */
async function run(makeOne: () => Promise<void>, ms: number) {
  let [running, most, begun] = [0, 0, 0]
  const job = { ...workers, work: { clock: Date.now } } as unknown as JobContext
  const messages = Array.from({ length: MESSAGES }, () =>
    sideBySide(
      job,
      Array.from({ length: IN_MESSAGE }, (_, id) => ({ id, owner_id: 1 })),
      () => async () => {
        begun++
        most = Math.max(most, ++running)
        await makeOne()
        running--
      },
      some => deliveriesMessage(some, newEvent()),
    ),
  )
  await pause(ms)
  const begunAfter = begun
  await Promise.all(messages)
  expect(begun).toBe(MESSAGES * IN_MESSAGE)
  return { most, begunAfter }
}

describe('a process that delivers', () => {
  it('begins no message while fifty deliveries are under way', async () => {
    const { most, begunAfter } = await run(() => pause(200), 50)
    expect(begunAfter).toBe(MOST_AT_ONCE)
    // The next message begins with the first free place.
    expect(most).toBeLessThan(MOST_AT_ONCE + IN_MESSAGE)
  })

  it('begins others after a second if those that are under way hang', async () => {
    const { most, begunAfter } = await run(() => pause(7_000), 6_500)
    expect(most).toBe(MESSAGES * IN_MESSAGE)
    expect(begunAfter).toBe(MESSAGES * IN_MESSAGE)
  })
})
