// Collects garbage when nothing happens for a while: V8 does it only while a program allocates memory.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Contexts and threads that start after this have the function `gc`. */
export function exposeGarbageCollection(): void {
  setFlagsFromString('--expose-gc')
}

/** Collects the garbage of this thread. */
export function collectGarbage(): void {
  exposeGarbageCollection()
  runInNewContext('gc')()
}

/** Takes `gc` from a thread, so that the code of a function does not see it. */
export function takeGarbageCollection(): () => void {
  const { gc } = globalThis
  globalThis.gc = undefined
  return () => void gc?.()
}
