// Injects faults between a client and its table: errors, lost answers and delays that the emulator never has.
import { setTimeout as pause } from 'node:timers/promises'
import type { Interceptable } from './interceptable.ts'

export type Fault = {
  /** The name of the operation, and a text that its request contains. */
  operation?: string
  mentions?: string
  /** `before`: the request never arrives. `after`: it is executed, and its answer is lost. */
  at: 'before' | 'after'
  /** The name of the error. */
  error?: string
  /** The delay before the error, or before the answer if there is no error. */
  hangsMs?: number
  /** How many requests fail, and how many pass before them. */
  times?: number
  skips?: number
}

type ArmedFault = Fault & { left: number; skips: number; pausedBy?: () => Promise<void> }

export function injectFaults({ around }: Pick<Interceptable<never>, 'around'>) {
  let faults: ArmedFault[] = []
  around(async (next, operation, input) => {
    const sent = faults.length > 0 ? JSON.stringify(input) : ''
    const fault = faults.find(candidate => candidate.left > 0 && matches(candidate, operation, sent))
    if (!fault || fault.skips-- > 0) return await next()
    fault.left--
    await fault.pausedBy?.()
    if (fault.hangsMs !== undefined) await pause(fault.hangsMs, undefined, { ref: false })
    if (fault.at === 'after' || fault.error === undefined) {
      const answer = await next()
      if (fault.error === undefined) return answer
    }
    throw Object.assign(new Error(`${fault.error} of this test`), { name: fault.error })
  })
  return {
    /** Adds a fault until `repair`, or until it has occurred `times` times. */
    fail: (fault: Fault) => {
      const armed = { skips: 0, ...fault, left: fault.times ?? Number.POSITIVE_INFINITY }
      faults.push(armed)
      return { isWaiting: () => armed.left > 0 }
    },
    /** Stops the next such request before it is sent: `reached` resolves then, `release` lets it continue. */
    pauseRequest: (what: Pick<Fault, 'operation' | 'mentions'>) => {
      const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const pausedBy = async () => {
        reached.resolve()
        await released.promise
      }
      faults.push({ ...what, at: 'before', left: 1, skips: 0, pausedBy })
      return { reached: reached.promise, release: released.resolve }
    },
    repair: () => {
      faults = []
    },
  }
}

function matches({ operation, mentions }: Fault, name: string, sent: string): boolean {
  return (
    (operation === undefined || name === operation) && (mentions === undefined || sent.includes(mentions))
  )
}
