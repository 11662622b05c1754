// A test's table whose items are locked during transactions. For exact timing, the locks run in a thread.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { connectTo, type Intercept } from './intercepted.ts'

/** @param onConflict is called for every write that a lock refuses. */
export function itemLocked(onConflict: () => void): Intercept {
  return async endpoint => {
    const thread = new Worker(new URL('./item-locks-thread.ts', import.meta.url), { workerData: endpoint })
    const [locked] = await once(thread, 'message')
    thread.on('message', onConflict)
    return connectTo(locked, () => thread.terminate())
  }
}
