// A judge that hits calls of functions with faults, by a seed: the same calls meet the same faults again.
import type { Call, Judge } from './call.ts'
import { chance } from './chance.ts'
import { KINDS, type Kind, type KindName } from './fault-kinds.ts'

export type FaultOptions = {
  seed: number
  /** Those that may come; all of them unless given. */
  kinds?: readonly KindName[]
  /** Times the rate of each. */
  scale?: number
  /** Told of every fault. */
  onFault?: (kind: KindName, call: Call) => void
}

const ALL = Object.keys(KINDS).filter((name): name is KindName => name in KINDS)

/**
 * Only what comes out of a worker is hit. Whether a call is, follows from the seed, its function, its operation and
 * how many of those there were before: calls side by side may change places from run to run, all others do not.
 */
export function openFaults({ seed, kinds = ALL, scale = 1, onFault }: FaultOptions): Judge {
  const counts = new Map<string, number>()
  return (call, next, crash) => {
    if (call.session === '') return next(call)
    const stream = `${call.accessKeyId} ${call.operation}`
    const nth = (counts.get(stream) ?? 0) + 1
    counts.set(stream, nth)
    const name = kindFor(call, kinds, chance(seed, `${stream} ${nth}`) * 1000, scale)
    if (!name) return next(call)
    onFault?.(name, call)
    return KINDS[name].act(call, next, { chance: chance(seed, `${stream} ${nth} ${name}`), crash })
  }
}

function kindFor(call: Call, kinds: readonly KindName[], at: number, scale: number): KindName | undefined {
  let below = 0
  return kinds.find(name => {
    const kind: Kind = KINDS[name]
    if (!kind.hits(call)) return false
    below += kind.perMille * scale
    return at < below
  })
}
