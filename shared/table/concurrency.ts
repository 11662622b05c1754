// Much of the same, some at a time.

/** Runs `act` on each, at most `atOnce` at the same time. After one failed no more are begun, and its error is thrown. */
export async function mapConcurrently<T>(
  all: Iterable<T>,
  atOnce: number,
  act: (one: T) => Promise<void>,
): Promise<void> {
  const rest = [...all].values()
  let failed = false
  const worker = async () => {
    for (const one of rest) {
      if (failed) return
      await act(one).catch(error => {
        failed = true
        throw error
      })
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker))
  for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason
}

/** All of them in their order, so many at a time. */
export function slices<T>(all: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))
}
