// The benchmark's side of a host: starts its process, and calls its methods as functions.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { HostMethods } from './host.ts'

type Reply = { id: number; result?: unknown; error?: string }

export type Hosted = HostMethods & { exit(): Promise<void> }

export function openHosted(checkout: string): Hosted {
  const child = fork(fileURLToPath(new URL('./host.ts', import.meta.url)), [checkout], {
    execArgv: [],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0
  child.on('message', ({ id, result, error }: Reply) => {
    const call = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) {
      call?.resolve(result)
    } else {
      call?.reject(new Error(error))
    }
  })
  const ended = new Promise<void>(resolve => child.on('exit', () => resolve()))
  void ended.then(() => {
    for (const call of waiting.values()) call.reject(new Error(`The service of ${checkout} has ended.`))
  })
  const callOf =
    (method: string) =>
    (...args: unknown[]) => {
      const call = Promise.withResolvers<unknown>()
      waiting.set(++last, call)
      child.send({ id: last, method, args })
      return call.promise
    }
  const exit = () => {
    child.disconnect()
    return ended
  }
  // Each method of the host by its name, so that there is no second list of them.
  return new Proxy({} as Hosted, {
    get: (_, name) => (name === 'exit' ? exit : name === 'then' ? undefined : callOf(String(name))),
  })
}
