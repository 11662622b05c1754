// Runs functions of this process under faults. After a crash, nothing of a run continues.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Message } from '../../../shared/events/message.ts'
import { type Runtime, setRuntime } from '../../../shared/runtime/runtime.ts'
import { openTable } from '../../../shared/table/client.ts'
import { type Interceptor, openIntercepted } from '../../support/faults/call-proxy.ts'

type Run = { isOver: boolean; hasCrashed: boolean }

/** `clean` is the runtime without faults, in which everything else runs. */
export async function openFaultyWorkers(
  endpoint: string,
  tableName: string,
  clean: Runtime,
  faults: Interceptor,
) {
  const runs = new AsyncLocalStorage<Run>()
  let openCalls = 0
  let crash = () => {}
  const counting: Interceptor = async (call, next) => {
    openCalls++
    try {
      return await faults(call, next, () => crash())
    } finally {
      openCalls--
    }
  }
  const { client, stop } = await openIntercepted(endpoint, counting)
  /** A call of a run that is over is not sent: after a crash it never settles, after the freeze it fails. */
  const whileAlive = async <T>(call: () => Promise<T>): Promise<T> => {
    const run = runs.getStore()
    if (run?.hasCrashed) return new Promise<never>(() => {})
    if (run?.isOver) throw new Error('The function was frozen before this call.')
    return await call()
  }
  client.around(whileAlive)
  /** The memory of a worker belongs to its table, so a worker that starts after a crash opens its own. */
  const startWorker = (): Runtime => ({
    ...clean,
    table: openTable(client, tableName, clean.table.listSizes),
    sender: { send: (messages: Message[]) => whileAlive(() => clean.sender.send(messages)) },
  })
  let worker = startWorker()

  /** Returns the result, or undefined after a crash; waits until no call of the run is open. */
  const run = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    const own: Run = { isOver: false, hasCrashed: false }
    const crashed = Promise.withResolvers<undefined>()
    setRuntime(worker)
    crash = () => {
      own.hasCrashed = true
      worker = startWorker()
      crashed.resolve(undefined)
    }
    try {
      return await Promise.race([runs.run(own, work), crashed.promise])
    } finally {
      own.isOver = true
      crash = () => {}
      setRuntime(clean)
      while (openCalls > 0) await nextTurn()
    }
  }
  return { run, stop }
}
