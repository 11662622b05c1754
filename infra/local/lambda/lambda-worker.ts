// One worker thread of a function as the pool sees it: it takes one event at a time and may be gone at any moment.
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { FunctionAccess } from '../access/connections.ts'
import type { AccessNote } from '../access/evaluate.ts'
import { FunctionError, TimeoutError } from './function-errors.ts'
import type { WorkerEvent, WorkerMessage, WorkerStart } from './worker-protocol.ts'

export type WorkerOptions = {
  functionId: string
  folder: string
  handler: string
  timeoutMs: number
  /** With the key of the emulators as the session token. */
  environment: Record<string, string>
  log: (functionId: string, line: string) => void
  access?: FunctionAccess | undefined
  /** Hears what its calls needed of its role, and what they were denied. */
  onNote?: ((note: AccessNote) => void) | undefined
}

export type LambdaWorker = {
  /** Of its credentials, as a real function has one: all its calls carry it, after the key. */
  session: string
  /** Resolves with the serialized answer; rejects with a FunctionError. */
  run(payload: string): Promise<string>
  /** Ends at once, in the middle of whatever it does, as when its machine fails. */
  crash(): void
  /** Takes no more events and ends. */
  stop(): void
  /** Settles when its thread is over. One that hangs in native code cannot be ended: it settles when that returns. */
  ended: Promise<void>
}

/** What Node has compiled of the runtime, for the next worker: a fifth of what it takes to come up. */
const compiledFolder = fileURLToPath(new URL('../../../.local/compiled', import.meta.url))

/** What is too deep in Lambda is too deep here: a little less than V8's 984 KB, and the 192 that Node keeps back. */
const STACK_KB = 960 + 192

/** Lambda's bound on loading a function's code. */
const LOAD_LIMIT_MS = 10_000

/** @param onEnd called once, when this worker will take no more events. */
export function startWorker(options: WorkerOptions, onEnd: () => void): LambdaWorker {
  const { functionId, folder, handler, timeoutMs, access } = options
  const signal = new Int32Array(new SharedArrayBuffer(4))
  const workerData: WorkerStart = { functionId, folder, handler, signal, access }
  const session = randomUUID()
  const { AWS_SESSION_TOKEN: key = '', ...environment } = options.environment
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    name: functionId,
    workerData,
    env: { ...environment, NODE_COMPILE_CACHE: compiledFolder, AWS_SESSION_TOKEN: key + session },
    execArgv: [],
    // As fast with a third of what Node takes for new objects, and a machine runs dozens of these.
    resourceLimits: { maxYoungGenerationSizeMb: 6, stackSizeMb: STACK_KB / 1024 },
  })
  const ready = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  let running: PromiseWithResolvers<string> | undefined
  let timer: NodeJS.Timeout | undefined
  let failure: FunctionError | undefined
  let unfinishedLine = ''

  // Timers start when the code is loaded, as Lambda's do: `ready` splits the two.
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
      end(new FunctionError('Runtime.ExitError', 'The worker was ended in the middle of its work'))
      void worker.terminate()
    },
    stop() {
      end(new FunctionError('Runtime.Stopped', `${functionId} was stopped before it answered`))
      void worker.terminate()
    },
    ended: over.promise,
  }
}
