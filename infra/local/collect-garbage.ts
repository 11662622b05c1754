// Collects the garbage of the start, about 30 MB: V8 does not while nothing happens.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export function collectGarbage(): void {
  // The function exists only in contexts that are created after the flag is set.
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  setFlagsFromString('--no-expose-gc')
}
