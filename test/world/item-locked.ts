// The table of a test whose items are locked while a transaction writes them; the locks keep time in a thread of their own.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { connectTo, type Intercept } from './intercepted.ts'

/** `onConflict` hears of every write that was refused. */
export function itemLocked(onConflict: () => void): Intercept {
  return async endpoint => {
    const thread = new Worker(new URL('./item-locks-thread.ts', import.meta.url), { workerData: endpoint })
    const [locked] = await once(thread, 'message')
    thread.on('message', onConflict)
    return connectTo(locked, () => thread.terminate())
  }
}
