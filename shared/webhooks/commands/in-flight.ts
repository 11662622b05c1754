// Counts the deliveries that this process handles, so that it takes no more than it can hold. Those that
// hang do not take the places of others: they cost a socket, and no CPU.
import type { Table } from '../../table/client.ts'
import { perTable } from '../../table/per-table.ts'

/** A delivery that takes longer is waiting for its receiver. */
const QUICK_MS = 1_000
const MAX_QUICK = 200
/** A Lambda may open 1,024 files. A full receive adds up to 250 sockets. */
const MAX_IN_FLIGHT = 600

/** The starts of the deliveries in flight, oldest first. */
const startsOf = perTable(() => new Set<{ atMs: number }>())

export async function whileInFlight<T>(table: Table, handle: () => Promise<T>): Promise<T> {
  const starts = startsOf(table)
  const start = { atMs: performance.now() }
  starts.add(start)
  try {
    return await handle()
  } finally {
    starts.delete(start)
  }
}

/** Handles the deliveries of a message side by side. Throws at the end if any of them failed. */
export async function allInFlight<T>(
  table: Table,
  all: T[],
  handle: (one: T, n: number) => Promise<void>,
): Promise<void> {
  const ended = await Promise.allSettled(all.map((one, n) => whileInFlight(table, () => handle(one, n))))
  const failed = ended.filter(outcome => outcome.status === 'rejected')
  if (failed[0]) {
    throw new Error(`${failed.length} of ${all.length} deliveries failed.`, { cause: failed[0].reason })
  }
}

/** Whether this process can take another message. */
export function hasRoom(table: Table): boolean {
  const starts = startsOf(table)
  if (starts.size < MAX_QUICK) return true
  const quickSinceMs = performance.now() - QUICK_MS
  const quick = [...starts].filter(({ atMs }) => atMs > quickSinceMs).length
  return quick < MAX_QUICK && starts.size < MAX_IN_FLIGHT
}
