// The worker threads of one function: at most `mostThreads`. Further events wait; idle workers end.
import { availableParallelism } from 'node:os'
import { FunctionError } from './function-errors.ts'
import { type LambdaWorker, startWorker, type WorkerOptions } from './lambda-worker.ts'
import { openWorkerBudget, type WorkerBudget } from './worker-budget.ts'

export type Pool = {
  /** Runs a serialized event and returns the serialized answer. Rejects with a FunctionError. */
  run(payload: string): Promise<string>
  /** Ends the worker of this session, if it belongs to this pool. */
  crash(session: string): void
  /** Resolves when every thread has ended. */
  stop(): Promise<void>
}

type Invocation = { payload: string; promise: PromiseWithResolvers<string> }

/**
 * Worker threads per function: one takes 25 MB and 0.1 s of a core to start. Pollers must not invoke more at
 * once, because a message that waits in this queue is invisible to others.
 */
export const MAX_THREADS = Math.min(8, Math.max(4, availableParallelism()))
/** Idle workers end after a minute, except the last one, so that the next event needs no start. */
const IDLE_MS = 60_000

type PoolLimits = {
  mostThreads?: number | undefined
  idleMs?: number
  /** Of the workers of all functions. It may end even the last worker of this one. */
  budget?: WorkerBudget
}

export function createPool(
  options: WorkerOptions,
  { mostThreads = MAX_THREADS, idleMs = IDLE_MS, budget = openWorkerBudget() }: PoolLimits = {},
): Pool {
  const workers = new Set<LambdaWorker>()
  /** `workers`, and those that take no more events but have not ended. */
  const threads = new Set<LambdaWorker>()
  /** A stack: the worker used last is used next, so that the others become idle and end. */
  const idle: { worker: LambdaWorker; ending: NodeJS.Timeout }[] = []
  const waiting: Invocation[] = []
  let stopped = false

  function serveNext() {
    while (!stopped && waiting.length > 0) {
      const worker = takeIdle() ?? startAnother()
      if (!worker) return
      const next = waiting.shift()
      if (next) void serve(worker, next)
    }
  }

  function startAnother(): LambdaWorker | undefined {
    if (workers.size >= mostThreads) return undefined
    const worker = startWorker(options, () => {
      workers.delete(worker)
      removeIdle(worker)
      budget.ended(worker)
      serveNext()
    })
    budget.started()
    workers.add(worker)
    threads.add(worker)
    void worker.ended.then(() => threads.delete(worker))
    return worker
  }

  async function serve(worker: LambdaWorker, { payload, promise }: Invocation) {
    await worker.run(payload).then(promise.resolve, promise.reject)
    if (workers.has(worker)) addIdle(worker)
    serveNext()
  }

  function addIdle(worker: LambdaWorker) {
    const ending = setTimeout(() => {
      if (workers.size > 1) worker.stop()
    }, idleMs).unref()
    idle.push({ worker, ending })
    budget.idle(worker, () => worker.stop())
  }

  function removeIdle(worker: LambdaWorker) {
    const at = idle.findIndex(free => free.worker === worker)
    if (at < 0) return
    const [free] = idle.splice(at, 1)
    clearTimeout(free?.ending)
  }

  function takeIdle(): LambdaWorker | undefined {
    const last = idle.pop()
    clearTimeout(last?.ending)
    if (last) budget.busy(last.worker)
    return last?.worker
  }

  return {
    run(payload) {
      const promise = Promise.withResolvers<string>()
      waiting.push({ payload, promise })
      if (stopped) rejectWaiting()
      serveNext()
      return promise.promise
    },
    crash(session) {
      for (const worker of workers) if (worker.session === session) worker.crash()
    },
    async stop() {
      stopped = true
      rejectWaiting()
      for (const worker of workers) worker.stop()
      await Promise.all([...threads].map(({ ended }) => ended))
    },
  }

  function rejectWaiting() {
    for (const { promise } of waiting.splice(0)) {
      promise.reject(
        new FunctionError('Runtime.Stopped', `${options.functionId} was stopped before it started`),
      )
    }
  }
}
