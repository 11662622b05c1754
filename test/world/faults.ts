// Injects faults between a client and its table: errors, lost answers and delays that the emulator never has.
import { setTimeout as pause } from 'node:timers/promises'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

export type Fault = {
  /** The name of the operation, and a text that its request contains. */
  operation?: string
  mentions?: string
  /** `before`: the request never arrives. `after`: it is executed, and its answer is lost. */
  at: 'before' | 'after'
  /** The name of the error. The SDK itself retries after a ThrottlingException or a TimeoutError. */
  error?: string
  /** The delay before the error, or before the answer if there is no error. */
  hangsMs?: number
  /** How many requests fail, and how many pass before them. */
  times?: number
  skips?: number
}

type ArmedFault = Fault & { left: number; skips: number; pausedBy?: () => Promise<void> }

/** Adds the faults below the SDK's own retries. */
export function injectFaults(client: DynamoDBDocumentClient) {
  let faults: ArmedFault[] = []
  client.middlewareStack.add(
    (next, context) => async args => {
      const operation = context.commandName ?? ''
      const sent = faults.length > 0 ? JSON.stringify(args.input) : ''
      const fault = faults.find(candidate => candidate.left > 0 && matches(candidate, operation, sent))
      if (!fault || fault.skips-- > 0) return next(args)
      fault.left--
      await fault.pausedBy?.()
      if (fault.hangsMs !== undefined) await pause(fault.hangsMs, undefined, { ref: false })
      if (fault.at === 'after' || fault.error === undefined) {
        const answer = await next(args)
        if (fault.error === undefined) return answer
      }
      throw Object.assign(new Error(`${fault.error} of this test`), { name: fault.error })
    },
    { step: 'finalizeRequest', priority: 'low', name: 'faults' },
  )
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
    (operation === undefined || name === `${operation}Command`) &&
    (mentions === undefined || sent.includes(mentions))
  )
}
