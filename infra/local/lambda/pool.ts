// The workers of one function: so many at once, further events wait in line, and those that nobody needs any more end.
import { availableParallelism } from 'node:os'
import { FunctionError } from './function-errors.ts'
import { type LambdaWorker, startWorker, type WorkerOptions } from './lambda-worker.ts'

export type Pool = {
  /** Runs a serialized event and gives the serialized answer; rejects with a FunctionError. */
  run(payload: string): Promise<string>
  /** Ends the worker of this session, if it is one of these. */
  crash(session: string): void
  /** Settles when no thread is left. */
  stop(): Promise<void>
}

type Invocation = { payload: string; promise: PromiseWithResolvers<string> }

/**
 * Of one function: each takes 30 MB and a tenth of a second of a core to come up. Whoever feeds it must not begin
 * more: what waits in line is nobody else's meanwhile.
 */
export const MOST_WORKERS = Math.min(8, Math.max(4, availableParallelism()))
/** What a burst needed is given back a minute later; one worker stays, so that nobody waits for the first. */
const IDLE_MS = 60_000

export function createPool(
  options: WorkerOptions,
  mostWorkers = MOST_WORKERS,
  idleMs: number = IDLE_MS,
): Pool {
  const workers = new Set<LambdaWorker>()
  /** With those that take no more events and have not ended yet. */
  const threads = new Set<LambdaWorker>()
  /** The one that was last at work is the next one, so that the others can end. */
  const idle: { worker: LambdaWorker; ending: NodeJS.Timeout }[] = []
  const waiting: Invocation[] = []
  let stopped = false

  function serveNext() {
    while (!stopped && waiting.length > 0) {
      const worker = wake() ?? startAnother()
      if (!worker) return
      const job = waiting.shift()
      if (job) void serve(worker, job)
    }
  }

  function startAnother(): LambdaWorker | undefined {
    if (workers.size >= mostWorkers) return undefined
    const worker = startWorker(options, () => {
      workers.delete(worker)
      serveNext()
    })
    workers.add(worker)
    threads.add(worker)
    void worker.ended.then(() => threads.delete(worker))
    return worker
  }

  async function serve(worker: LambdaWorker, { payload, promise }: Invocation) {
    await worker.run(payload).then(promise.resolve, promise.reject)
    if (workers.has(worker)) rest(worker)
    serveNext()
  }

  function rest(worker: LambdaWorker) {
    const ending = setTimeout(() => {
      if (workers.size === 1) return
      idle.splice(
        idle.findIndex(each => each.worker === worker),
        1,
      )
      worker.stop()
    }, idleMs).unref()
    idle.push({ worker, ending })
  }

  function wake(): LambdaWorker | undefined {
    const rested = idle.pop()
    clearTimeout(rested?.ending)
    return rested?.worker
  }

  return {
    run(payload) {
      const promise = Promise.withResolvers<string>()
      waiting.push({ payload, promise })
      if (stopped) refuseWaiting()
      serveNext()
      return promise.promise
    },
    crash(session) {
      for (const worker of workers) if (worker.session === session) worker.crash()
    },
    async stop() {
      stopped = true
      refuseWaiting()
      for (const worker of workers) worker.stop()
      await Promise.all([...threads].map(({ ended }) => ended))
    },
  }

  function refuseWaiting() {
    for (const { promise } of waiting.splice(0)) {
      promise.reject(
        new FunctionError('Runtime.Stopped', `${options.functionId} was stopped before it began`),
      )
    }
  }
}
