// Bounded concurrency, slices of an array and positions in it, and spans of time.
import { within } from './retrying.ts'

/**
 * Runs `act` on each item, at most `atOnce` in parallel. After a failure it starts no more and throws the
 * error.
 */
export async function mapConcurrently<T>(
  all: Iterable<T>,
  atOnce: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const rest = [...all].values()
  let failed = false
  const worker = async () => {
    for (const item of rest) {
      if (failed) return
      await act(item).catch(error => {
        failed = true
        throw error
      })
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker))
  for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason
}

/** Divides an array into slices of at most `size`, in order. */
export function slices<T>(all: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))
}

/** Binary search: the first index of a sorted array for which `isBeyond` holds, or its length. */
export function firstIndex<T>(sorted: T[], isBeyond: (item: T) => boolean): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    const item = sorted[middle]
    if (item !== undefined && isBeyond(item)) {
      high = middle
    } else {
      low = middle + 1
    }
  }
  return low
}

/** Runs at most `atOnce` at the same time. Others wait for their turn, in order. */
export function limitConcurrency(atOnce: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async run => {
    if (running < atOnce) {
      running++
    } else {
      await new Promise<void>(resolve => waiting.push(resolve))
    }
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) {
        next()
      } else {
        running--
      }
    }
  }
}

type Group<T> = { size: number; hasBegun: boolean; value: Promise<T> }

/** A group does not wait longer for a call that hangs. */
const LONGEST_TURN_MS = 250

/**
 * Calls of one name that come while one runs wait for its end. Then they run as a group: the `run` of the
 * first of them, once, with their number. `place`: the position of a call in its group, from 0.
 */
export function openGroups<T>() {
  const lastOf = new Map<string, Group<T>>()
  return async (name: string, run: (size: number) => Promise<T>): Promise<{ value: T; place: number }> => {
    const last = lastOf.get(name)
    if (last && !last.hasBegun) return { place: last.size++, value: await last.value }
    const begin = () => {
      group.hasBegun = true
      return run(group.size)
    }
    const value = last ? within(LONGEST_TURN_MS, last.value).then(begin, begin) : run(1)
    const group: Group<T> = { size: 1, hasBegun: !last, value }
    lastOf.set(name, group)
    try {
      return { place: 0, value: await group.value }
    } finally {
      if (lastOf.get(name) === group) lastOf.delete(name)
    }
  }
}

/** The clocks of two functions differ by less. */
const TOLERANCE_MS = 2_000

/** Whether a span of time goes on. One that begins later than clocks differ was written by a wrong clock. */
export function isRunning(sinceMs: number, lengthMs: number, nowMs: number): boolean {
  return nowMs < sinceMs + lengthMs && sinceMs <= nowMs + TOLERANCE_MS
}

/** For conditions of writes: a span that runs ends after now and not later than this. */
export function latestEnd(lengthMs: number, nowMs: number): number {
  return nowMs + TOLERANCE_MS + lengthMs
}
