// Checks random histories for a given time, so that fast emulators check many and slow ones at least one.
import fc from 'fast-check'

const MAX_RUNS = 500

/** Checks random values until `timeMs` has passed, but at least one. Prints the seed; SEED repeats a run. */
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
  await fc.assert(property, { seed, numRuns: MAX_RUNS })
  console.info(`checked ${begun} random histories`)
}
