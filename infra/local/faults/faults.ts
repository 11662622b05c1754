// A judge that hits calls of functions with faults, by a seed: the same calls meet the same faults again.
import type { Call, Interceptor } from './call.ts'
import { chance } from './chance.ts'
import { FAULT_KINDS, type FaultKind, type FaultName } from './fault-kinds.ts'

export type FaultOptions = {
  seed: number
  /** Those that may come; all of them unless given. */
  kinds?: readonly FaultName[]
  /** Times the rate of each. */
  scale?: number
  /** Told of every fault. */
  onFault?: (kind: FaultName, call: Call) => void
}

const ALL = Object.keys(FAULT_KINDS).filter((name): name is FaultName => name in FAULT_KINDS)

/**
 * Only what comes out of a worker is hit. Whether a call is, follows from the seed, its function, its operation and
 * how many of those there were before: calls side by side may change places from run to run, all others do not.
 */
export function createFaultInjector({ seed, kinds = ALL, scale = 1, onFault }: FaultOptions): Interceptor {
  const counts = new Map<string, number>()
  return (call, next, crash) => {
    if (call.session === '') return next(call)
    const stream = `${call.accessKeyId} ${call.operation}`
    const nth = (counts.get(stream) ?? 0) + 1
    counts.set(stream, nth)
    const name = pickFault(call, kinds, chance(seed, `${stream} ${nth}`) * 1000, scale)
    if (!name) return next(call)
    onFault?.(name, call)
    return FAULT_KINDS[name].inject(call, next, { chance: chance(seed, `${stream} ${nth} ${name}`), crash })
  }
}

function pickFault(
  call: Call,
  kinds: readonly FaultName[],
  at: number,
  scale: number,
): FaultName | undefined {
  let below = 0
  return kinds.find(name => {
    const kind: FaultKind = FAULT_KINDS[name]
    if (!kind.appliesTo(call)) return false
    below += kind.perMille * scale
    return at < below
  })
}
