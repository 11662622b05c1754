// How many idle workers all functions keep together. Those that were used least recently end first.
import { availableParallelism } from 'node:os'

export type WorkerBudget = {
  /** A worker was started; it counts until `ended`. */
  started(): void
  ended(worker: object): void
  /** The worker waits for events. `end` ends it. */
  idle(worker: object, end: () => void): void
  busy(worker: object): void
}

/** Enough for a function that is busy on every core, and for those that follow its work. One takes 25 MB. */
const MAX_KEPT = availableParallelism() + 4
/** Longer than the pauses of a busy function, so that no worker is started and ended in turns. */
const SPARED_MS = 5_000

/** Running events are never limited: a function may start as many workers as its own pool allows. */
export function openWorkerBudget(maxKept: number = MAX_KEPT, sparedMs: number = SPARED_MS): WorkerBudget {
  let count = 0
  /** In the order in which they became idle. */
  const idle = new Map<object, { sinceMs: number; end: () => void }>()
  let timer: NodeJS.Timeout | undefined

  function endSome(): void {
    timer = undefined
    for (const [worker, { sinceMs, end }] of idle) {
      if (count <= maxKept) return
      if (performance.now() - sinceMs < sparedMs) break
      idle.delete(worker)
      end()
    }
    endLater()
  }

  function endLater(): void {
    const [longest] = idle.values()
    if (timer || !longest || count <= maxKept) return
    timer = setTimeout(endSome, Math.max(1, longest.sinceMs + sparedMs - performance.now())).unref()
  }

  return {
    started() {
      count++
    },
    ended(worker) {
      count--
      idle.delete(worker)
    },
    idle(worker, end) {
      idle.set(worker, { sinceMs: performance.now(), end })
      endLater()
    },
    busy(worker) {
      idle.delete(worker)
    },
  }
}
