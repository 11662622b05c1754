// Runs in a worker thread: Lambda's runtime for one function, one event at a time, frozen in between.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { enforceAccess } from '../access/connections.ts'
import { takeGarbageCollection } from '../collect-garbage.ts'
import { type Handler, loadHandler } from './handler-file.ts'
import {
  PAYLOAD_LIMIT_BYTES,
  type WorkerEvent,
  type WorkerMessage,
  type WorkerStart,
} from './worker-protocol.ts'

if (!parentPort) throw new Error('worker.ts runs only as a worker thread. Use createFunctions.')
const port = parentPort
const start: WorkerStart = workerData

/** Longer than the pauses of a busy function. */
const COLLECT_AFTER_MS = 2_000
const collectGarbage = takeGarbageCollection()

// Node has already read it, and the function gets only the template's environment.
delete process.env.NODE_COMPILE_CACHE
// A worker's own streams are flushed by its event loop, which stands still while the worker is parked.
process.stdout.write = writeOutput
process.stderr.write = writeOutput
if (start.access) enforceAccess(start.functionId, start.access, note => post({ kind: 'note', note }))
void run()

async function run() {
  // Workers share a compile cache next to the bundles, which saves a fifth of loading.
  enableCompileCache(join(dirname(start.folder), 'compile-cache'))
  const handler = await loadHandler(start.folder, start.handler)
  flushCompileCache()
  post({ kind: 'ready' })
  for (;;) {
    const event = park()
    // The event loop stopped within a turn. One turn completes it, the next notices closed connections.
    await nextTurn()
    await nextTurn()
    post(await answerTo(handler, event))
  }
}

/** Blocks the whole thread, including timers and promises, until the pool sends an event. */
function park(): WorkerEvent {
  if (Atomics.wait(start.signal, 0, 0, COLLECT_AFTER_MS) === 'timed-out') {
    collectGarbage()
    Atomics.wait(start.signal, 0, 0)
  }
  Atomics.store(start.signal, 0, 0)
  return receiveMessageOnPort(port)?.message
}

async function answerTo(handler: Handler, event: WorkerEvent): Promise<WorkerMessage> {
  try {
    const payload = JSON.stringify(await handler(JSON.parse(event.payload), contextOf(event))) ?? 'null'
    if (Buffer.byteLength(payload) <= PAYLOAD_LIMIT_BYTES) return { kind: 'answer', payload }
    const message = `Response payload size exceeded maximum allowed payload size (${PAYLOAD_LIMIT_BYTES} bytes).`
    console.error(message)
    return { kind: 'error', errorType: 'Function.ResponseSizeTooLarge', message }
  } catch (error) {
    console.error('Invoke Error', error)
    return error instanceof Error
      ? { kind: 'error', errorType: error.name, message: error.message }
      : { kind: 'error', errorType: typeof error, message: String(error) }
  }
}

function contextOf({ requestId, deadlineMs }: WorkerEvent) {
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: start.functionId,
    functionVersion: '$LATEST',
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
  }
}

function writeOutput(chunk: string | Uint8Array, ...rest: unknown[]): boolean {
  post({ kind: 'output', text: typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString() })
  const done = rest.at(-1)
  if (typeof done === 'function') done()
  return true
}

function post(message: WorkerMessage) {
  port.postMessage(message)
}
