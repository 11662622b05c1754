// Patience with the table: conflicts and throttles are tried again with full jitter until a deadline.

import { setTimeout as pause } from 'node:timers/promises'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'

/** Below the 20 s time-out of an API function, so that a caller gets a clear answer. */
const DEADLINE_MS = 8_000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500

const PASSING = new Set([
  'TransactionConflict',
  'TransactionConflictException',
  'TransactionInProgressException',
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
])

/**
 * Runs `attempt` until it is done (true) or fails for good. The SDK keeps its own request token over its
 * own retries; a further round here follows only answers that say that nothing was written.
 * Back-off: "full jitter", AWS Architecture Blog, Exponential Backoff And Jitter.
 */
export const retrying = async (attempt: () => Promise<boolean>, deadlineMs = DEADLINE_MS): Promise<void> => {
  const started = performance.now()
  for (let round = 0; ; round++) {
    try {
      if (await attempt()) return
    } catch (error) {
      if (!isPassing(error) || performance.now() - started > deadlineMs) throw error
    }
    if (performance.now() - started > deadlineMs) throw new Error('The table kept leaving items unprocessed')
    await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** round))
  }
}

/** Whether the table was only busy: nothing was written, and later it may be. */
export const isPassing = (error: unknown): boolean => {
  if (error instanceof TransactionCanceledException)
    return (error.CancellationReasons ?? []).some(({ Code }) => Code !== undefined && PASSING.has(Code))
  return error instanceof Error && PASSING.has(error.name)
}
