// One worker thread of a function, from the pool's side. It runs one event at a time and may end anytime.
import { randomUUID } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { FunctionAccess } from '../access/connections.ts'
import type { AccessNote } from '../access/evaluate.ts'
import { exposeGarbageCollection } from '../collect-garbage.ts'
import { COMPILE_CACHE } from '../compiled-code.ts'
import { FunctionError, TimeoutError } from './function-errors.ts'
import type { WorkerEvent, WorkerMessage, WorkerStart } from './worker-protocol.ts'

export type WorkerOptions = {
  functionId: string
  folder: string
  handler: string
  timeoutMs: number
  /** AWS_SESSION_TOKEN is the key of the emulators. */
  environment: Record<string, string>
  log: (functionId: string, line: string) => void
  access?: FunctionAccess | undefined
  /** Called for used and denied permissions. */
  onNote?: ((note: AccessNote) => void) | undefined
}

export type LambdaWorker = {
  /** Identifies the worker in its AWS calls: their session token is the emulators' key and this. */
  session: string
  /** Resolves with the serialized answer; rejects with a FunctionError. */
  run(payload: string): Promise<string>
  /** Ends immediately, as by a failure of its machine. */
  crash(): void
  /** Rejects a running event and ends. */
  stop(): void
  /** Resolves when the thread has ended. A hang in native code delays that until the code returns. */
  ended: Promise<void>
}

/** As deep as in Lambda: a little less than V8's default of 984 KB, plus 192 KB that Node reserves. */
const STACK_KB = 960 + 192

/** Lambda's limit for loading a function's code. */
const LOAD_LIMIT_MS = 10_000

exposeGarbageCollection()

/** @param onEnd called once, when the worker takes no more events. */
export function startWorker(options: WorkerOptions, onEnd: () => void): LambdaWorker {
  const { functionId, folder, handler, timeoutMs, access } = options
  const signal = new Int32Array(new SharedArrayBuffer(4))
  const workerData: WorkerStart = { functionId, folder, handler, signal, access }
  const session = randomUUID()
  const { AWS_SESSION_TOKEN: key = '', ...environment } = options.environment
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    name: functionId,
    workerData,
    env: { ...environment, ...COMPILE_CACHE, AWS_SESSION_TOKEN: key + session },
    execArgv: [],
    // A third of Node's default. Workers are as fast with it, and a machine runs dozens of them.
    resourceLimits: { maxYoungGenerationSizeMb: 6, stackSizeMb: STACK_KB / 1024 },
  })
  const ready = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  let running: PromiseWithResolvers<string> | undefined
  let timer: NodeJS.Timeout | undefined
  let failure: FunctionError | undefined
  let unfinishedLine = ''

  // As in Lambda, the function's timeout starts after its code is loaded (`ready`).
  limit(LOAD_LIMIT_MS)
  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'output') return output(message.text)
    if (message.kind === 'note') return options.onNote?.(message.note)
    clearTimeout(timer)
    if (message.kind === 'ready') return ready.resolve()
    const finished = running
    running = undefined
    if (message.kind === 'answer') {
      finished?.resolve(message.payload)
    } else {
      finished?.reject(new FunctionError(message.errorType, message.message))
    }
  })
  worker.on('error', error => {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
    output(`${stack ?? message}\n`)
    end(new FunctionError(name, message))
  })
  worker.on('exit', code => {
    if (unfinishedLine) output('\n')
    const reason = new FunctionError(
      'Runtime.ExitError',
      `Runtime exited before it answered (exit code ${code})`,
    )
    if (!failure) output(`${reason.message}\n`)
    end(reason)
    over.resolve()
  })

  function limit(ms: number) {
    timer = setTimeout(() => {
      const reason = new TimeoutError(ms / 1000)
      output(`${reason.message}\n`)
      end(reason)
      void worker.terminate()
    }, ms)
  }

  function end(reason: FunctionError) {
    if (failure) return
    failure = reason
    clearTimeout(timer)
    ready.resolve()
    running?.reject(reason)
    onEnd()
  }

  function output(text: string) {
    const lines = (unfinishedLine + text).split('\n')
    unfinishedLine = lines.pop() ?? ''
    for (const line of lines) options.log(functionId, line)
  }

  return {
    session,
    async run(payload) {
      await ready.promise
      if (failure) throw failure
      running = Promise.withResolvers<string>()
      const event: WorkerEvent = { requestId: randomUUID(), payload, deadlineMs: Date.now() + timeoutMs }
      worker.postMessage(event)
      Atomics.store(signal, 0, 1)
      Atomics.notify(signal, 0)
      limit(timeoutMs)
      return running.promise
    },
    crash() {
      end(new FunctionError('Runtime.ExitError', 'The worker crashed before it answered'))
      void worker.terminate()
    },
    stop() {
      end(new FunctionError('Runtime.Stopped', `${functionId} was stopped before it answered`))
      void worker.terminate()
    },
    ended: over.promise,
  }
}
