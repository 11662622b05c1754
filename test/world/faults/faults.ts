// An interceptor that injects faults into calls of functions. The same seed repeats the same faults.
import { OWNER_KEY } from '../../../infra/local/account.ts'
import type { Call, Interceptor } from './call.ts'
import { chance } from './chance.ts'
import { FAULT_KINDS, type FaultKind, type FaultName } from './fault-kinds.ts'

export type FaultOptions = {
  seed: number
  /** The kinds to inject; by default all. */
  kinds?: readonly FaultName[]
  /** Multiplies the rate of each kind. */
  scale?: number
  /** Called for every fault. */
  onFault?: (kind: FaultName, call: Call) => void
}

const ALL_KINDS = Object.keys(FAULT_KINDS).filter((name): name is FaultName => name in FAULT_KINDS)

/**
 * Injects faults into calls of functions only. Seed, function, operation and the number of such calls before
 * decide about a call, so runs differ only in the order of concurrent calls.
 */
export function createFaultInjector({
  seed,
  kinds = ALL_KINDS,
  scale = 1,
  onFault,
}: FaultOptions): Interceptor {
  const counts = new Map<string, number>()
  return (call, next, crash) => {
    if (call.accessKeyId === OWNER_KEY) return next(call)
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
  draw: number,
  scale: number,
): FaultName | undefined {
  let limit = 0
  return kinds.find(name => {
    const kind: FaultKind = FAULT_KINDS[name]
    if (!kind.appliesTo(call)) return false
    limit += kind.perMille * scale
    return draw < limit
  })
}
