// The workers of one function: so many at once, further events wait in line.
import { FunctionError } from './function-errors.ts'
import { type LambdaWorker, startWorker, type WorkerOptions } from './lambda-worker.ts'

export type Pool = {
  /** Runs a serialized event and gives the serialized answer; rejects with a FunctionError. */
  run(payload: string): Promise<string>
  /** Ends the worker of this session, if it is one of these. */
  crash(session: string): void
  stop(): Promise<void>
}

type Job = { payload: string; promise: PromiseWithResolvers<string> }

/** Of one function. Whoever feeds it must not begin more: what waits in line is nobody else's meanwhile. */
export const MOST_WORKERS = 8

export function createPool(options: WorkerOptions, mostWorkers = MOST_WORKERS): Pool {
  const workers = new Set<LambdaWorker>()
  const idle: LambdaWorker[] = []
  const waiting: Job[] = []
  let stopped = false

  function serveNext() {
    while (!stopped && waiting.length > 0) {
      const worker = idle.pop() ?? startAnother()
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
    return worker
  }

  async function serve(worker: LambdaWorker, { payload, promise }: Job) {
    await worker.run(payload).then(promise.resolve, promise.reject)
    if (workers.has(worker)) idle.push(worker)
    serveNext()
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
      await Promise.all([...workers].map(worker => worker.stop()))
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
