// Reads what is stored in several items: concurrent changes may come between the reads, which then start
// again.

const ATTEMPTS = 4

/**
 * Thrown if changes came between the reads of every attempt. A later request may succeed: 503 with
 * Retry-After.
 */
export class ReadConflict extends Error {
  override name = 'ReadConflict'

  constructor(what: string) {
    super(`${what} kept changing while it was read. Try again.`)
  }
}

/**
 * Runs `attempt` until it does not return undefined, which says that the items it read do not belong
 * together. Further attempts read again what is remembered.
 */
export async function readConsistently<T, Source extends { latest?: Source }>(
  what: string,
  table: Source,
  attempt: (table: Source) => Promise<T | undefined>,
): Promise<T> {
  for (let round = 0; round < ATTEMPTS; round++) {
    const read = await attempt(round === 0 ? table : (table.latest ?? table))
    if (read !== undefined) return read
  }
  throw new ReadConflict(what)
}
