// Runs inside a worker thread: Lambda's runtime for one function, one event at a time, frozen in between.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { enforceAccess } from '../access/connections.ts'
import { type Handler, loadHandler } from './handler-file.ts'
import {
  PAYLOAD_LIMIT_BYTES,
  type WorkerEvent,
  type WorkerMessage,
  type WorkerStart,
} from './worker-protocol.ts'

if (!parentPort) throw new Error('worker.ts runs as a worker thread only: use createFunctions.')
const port = parentPort
const start: WorkerStart = workerData

// Read by now; the function sees the template's environment only.
delete process.env.NODE_COMPILE_CACHE
// The streams of a worker need its event loop to drain, which stands still while it is parked.
process.stdout.write = writeOutput
process.stderr.write = writeOutput
if (start.access) enforceAccess(start.functionId, start.access, note => post({ kind: 'note', note }))
void live()

async function live() {
  // Beside the bundles: what one worker has compiled, the next ones load for a fifth less.
  enableCompileCache(join(dirname(start.folder), 'compile-cache'))
  const handler = await loadHandler(start.folder, start.handler)
  flushCompileCache()
  post({ kind: 'ready' })
  for (;;) {
    const event = park()
    // The loop stood still inside a turn: one more ends it, the next notices connections closed meanwhile.
    await nextTurn()
    await nextTurn()
    post(await answerTo(handler, event))
  }
}

/** Blocks the whole thread, timers and promises included, until the pool has sent an event. */
function park(): WorkerEvent {
  Atomics.wait(start.signal, 0, 0)
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
