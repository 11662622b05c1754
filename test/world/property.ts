// Random histories for as long as a test may take, so that fast emulators check many and slow ones one.
import fc from 'fast-check'

const MOST_RUNS = 500
/** Of a test: one long history on a slow emulator. */
export const LONGEST_MS = 240_000

/**
 * Checks random values until the time is over, the first one always and whole: a slow emulator shall not end
 * a test with nothing checked. The seed is printed, SEED replays it.
 */
export async function checkRandom<T>(
  values: fc.Arbitrary<T>,
  check: (value: T) => Promise<void>,
  timeMs: number,
) {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  console.info(`seed ${seed} (run again with SEED=${seed})`)
  const end = Date.now() + timeMs
  let begun = 0
  const property = fc.asyncProperty(values, async value => {
    if (begun > 0 && Date.now() >= end) return
    begun++
    await check(value)
  })
  await fc.assert(property, { seed, numRuns: MOST_RUNS })
  console.info(`checked ${begun} random histories`)
}
