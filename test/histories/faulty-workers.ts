// Running functions of this process under faults: each run may end in a crash, after which nothing of it goes on.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Interceptor } from '../../infra/local/faults/call.ts'
import type { Message } from '../../shared/events/message.ts'
import type { Runtime } from '../../shared/runtime/runtime.ts'
import { openTable } from '../../shared/table/client.ts'
import { openIntercepted } from '../world/intercepted.ts'
import { enter } from './functions.ts'

type Run = { isOver: boolean }

/** `clean` is the same world without faults, in which everything else runs. */
export async function openFaultyWorkers(
  endpoint: string,
  tableName: string,
  clean: Runtime,
  faults: Interceptor,
) {
  const runs = new AsyncLocalStorage<Run>()
  let underWay = 0
  let crash = () => {}
  const counting: Interceptor = async (call, next) => {
    underWay++
    try {
      return await faults(call, next, () => crash())
    } finally {
      underWay--
    }
  }
  const { client, stop } = await openIntercepted(endpoint, [counting])
  /** No call of a run that is over ever settles, nor reaches anybody. */
  const whileAlive = <T>(call: () => Promise<T>): Promise<T> =>
    runs.getStore()?.isOver ? new Promise<never>(() => {}) : call()
  client.middlewareStack.add(next => args => whileAlive(() => next(args)), {
    step: 'initialize',
    name: 'lifeline',
  })
  const faulty: Runtime = {
    ...clean,
    table: openTable(client, tableName, clean.table.listSizes),
    sender: { send: (messages: Message[]) => whileAlive(() => clean.sender.send(messages)) },
  }

  /** What it gave, or undefined when it crashed; all its calls are over by then. */
  const run = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    const own: Run = { isOver: false }
    const crashed = Promise.withResolvers<undefined>()
    enter(faulty)
    crash = () => {
      own.isOver = true
      crashed.resolve(undefined)
    }
    try {
      return await Promise.race([runs.run(own, work), crashed.promise])
    } finally {
      own.isOver = true
      crash = () => {}
      enter(clean)
      while (underWay > 0) await nextTurn()
    }
  }
  return { run, stop }
}
