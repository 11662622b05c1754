// Patience with the table: what it was too busy for is tried again, with full jitter, until a deadline.
import { setTimeout as pause } from 'node:timers/promises'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { startDeadline, startWaitingInLine } from './deadline.ts'

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500
/** As often as the SDK would: a table that fails or hangs for longer does so for a while. */
const MOST_UNKNOWN = 3

const CONFLICTS = new Set([
  'TransactionConflict',
  'TransactionConflictException',
  'TransactionInProgressException',
])
const THROTTLES = new Set([
  'Unprocessed',
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
])
const UNKNOWN = new Set([
  'TimeoutError',
  'InternalServerError',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOTFOUND',
])

/**
 * Runs `attempt` until it succeeds or fails for good. It may have been done though it failed, so that doing it twice
 * must come to the same: by a token, by a condition that knows its own work, or since it says the same again.
 * Back-off: "full jitter", AWS Architecture Blog, Exponential Backoff And Jitter.
 */
export async function retrying<T>(attempt: () => Promise<T>, timeoutMs?: number): Promise<T> {
  const hasTime = startDeadline(timeoutMs)
  const line = startWaitingInLine()
  const unknown: unknown[] = []
  for (let round = 0; ; round++) {
    try {
      return await attempt()
    } catch (error) {
      if (isUnknown(error)) {
        unknown.push(error)
      } else if (!isPassing(error)) {
        throw error
      }
      const isOver =
        unknown.length === MOST_UNKNOWN || !hasTime() || (isConflict(error) && line.isOver(round))
      // Once an answer was lost, no later one says that nothing was written.
      if (isOver) throw unknown[0] ?? error
      const isLong = line.isLong && isConflict(error)
      const longest = isConflict(error) ? line.longestMs() : LONGEST_PAUSE_MS
      await pause(Math.random() * (isLong ? longest : Math.min(longest, FIRST_PAUSE_MS * 2 ** round)))
    }
  }
}

/** The table has done a part of a batch and was too busy for the rest. */
export class Unprocessed extends Error {
  override name = 'Unprocessed'
  override message = 'The table left a part of a batch undone'
}

/** Whether the table could not do it now: later it may. */
export function isBusy(error: unknown): boolean {
  return isPassing(error) || isUnknown(error)
}

/** Nothing was written. */
function isPassing(error: unknown): boolean {
  return isConflict(error) || isNamed(error, THROTTLES)
}

/** Others were writing the same items. */
export function isConflict(error: unknown): boolean {
  return isNamed(error, CONFLICTS)
}

/** A cancelled transaction goes by the reasons of its actions. */
function isNamed(error: unknown, names: Set<string>): boolean {
  if (error instanceof TransactionCanceledException) {
    return (error.CancellationReasons ?? []).some(({ Code }) => Code !== undefined && names.has(Code))
  }
  return error instanceof Error && names.has(error.name)
}

/** The answer never came, or said nothing: it may have been written. */
function isUnknown(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return UNKNOWN.has(error.name) || UNKNOWN.has(code) || statusOf(error) >= 500
}

function statusOf(error: Error): number {
  const { httpStatusCode }: { httpStatusCode?: unknown } = Object('$metadata' in error ? error.$metadata : {})
  return Number(httpStatusCode ?? 0)
}
