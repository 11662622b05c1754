// Retries calls that the table throttled or that conflicted, with full jitter, until a deadline.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { AwsError } from '../aws/client.ts'
import { count } from '../metrics/tally.ts'

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500
/** Another transaction holds an item for milliseconds only. */
const LONGEST_OF_CONFLICT_MS = 100
/** As often as the SDK would. A table that fails more often is likely to fail for a while. */
const MAX_UNKNOWN = 3

const CONFLICTS = new Set([
  'TransactionConflict',
  'TransactionConflictException',
  'TransactionInProgressException',
])
const THROTTLES = new Set([
  'PartialBatch',
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
])
const UNKNOWN = new Set([
  'TimeoutError',
  'InternalServerError',
  'UnreadableAnswer',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOTFOUND',
])

/**
 * Runs `attempt` until it succeeds or fails for good. It must be idempotent, as a failed attempt may have
 * been applied. Back-off: "full jitter", AWS Architecture Blog, Exponential Backoff And Jitter.
 */
export async function retrying<T>(attempt: () => Promise<T>): Promise<T> {
  const hasTime = startDeadline()
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
      // After a lost answer no later error proves that nothing was written.
      if (unknown.length === MAX_UNKNOWN || !hasTime()) throw unknown[0] ?? error
      count('Retries')
      const longestMs = isConflict(error) ? LONGEST_OF_CONFLICT_MS : LONGEST_PAUSE_MS
      await pause(Math.random() * Math.min(longestMs, FIRST_PAUSE_MS * 2 ** round))
    }
  }
}

/** Thrown when the table processed only part of a batch. */
export class PartialBatch extends Error {
  override name = 'PartialBatch'
  override message = 'The table did not process the whole batch'
}

/** Whether a later attempt may succeed. */
export function isBusy(error: unknown): boolean {
  return isPassing(error) || isUnknown(error) || error instanceof ReadConflict
}

/** The attempt wrote nothing and may be repeated. */
function isPassing(error: unknown): boolean {
  return isConflict(error) || isNamed(error, THROTTLES)
}

/** Another transaction was writing the same items. */
export function isConflict(error: unknown): boolean {
  return isNamed(error, CONFLICTS)
}

/** For a cancelled transaction, the reasons of its actions count. */
function isNamed(error: unknown, names: Set<string>): boolean {
  const cancellations = cancellationsIn(error)
  if (cancellations) return cancellations.some(code => names.has(code))
  return error instanceof Error && names.has(error.name)
}

/** The codes of a cancelled transaction, in the order of its actions. */
export function cancellationsIn(error: unknown): string[] | undefined {
  if (!(error instanceof AwsError) || error.name !== 'TransactionCanceledException') return undefined
  return (error.failure.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None')
}

/** There was no useful answer: the attempt may have been applied. */
function isUnknown(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  const isServers = error instanceof AwsError && error.status >= 500
  return isServers || UNKNOWN.has(error.name) || UNKNOWN.has(code)
}

/** Far below the 20 s of an API function, so that the caller gets a clear answer. */
const DEADLINE_MS = 8_000

const endOfAll = new AsyncLocalStorage<number>()

function endIn(timeoutMs: number): number {
  return Math.min(performance.now() + timeoutMs, endOfAll.getStore() ?? Number.POSITIVE_INFINITY)
}

/** Stops all retries inside `run` after this time, or at the enclosing deadline if that is sooner. */
export function withDeadline<T>(run: () => T, timeoutMs = DEADLINE_MS): T {
  return endOfAll.run(endIn(timeoutMs), run)
}

/** The same without the enclosing deadline: for a run of several requests. */
export function withOwnDeadline<T>(run: () => T, timeoutMs: number): T {
  return endOfAll.run(performance.now() + timeoutMs, run)
}

/** Starts a deadline. The returned function says whether there is time for one more attempt. */
export function startDeadline(timeoutMs = DEADLINE_MS): () => boolean {
  const endMs = endIn(timeoutMs)
  return () => performance.now() < endMs
}

/** Rejects if there is no result in time. The work itself continues. */
export function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`No answer within ${limitMs} ms`)), limitMs)
  work.catch(() => undefined)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

const ATTEMPTS = 4

/**
 * Thrown if changes came between the reads of every attempt. A later request may succeed: 503 with
 * Retry-After.
 */
export class ReadConflict extends Error {
  override name = 'ReadConflict'

  constructor(what: string) {
    super(`${what} kept changing while it was read. Try again.`)
  }
}

/**
 * Runs `attempt` until it does not return undefined, which says that the items it read do not belong
 * together. Further attempts read again what is remembered.
 */
export async function readConsistently<T, Source extends { latest?: Source }>(
  what: string,
  table: Source,
  attempt: (table: Source) => Promise<T | undefined>,
): Promise<T> {
  for (let round = 0; round < ATTEMPTS; round++) {
    const read = await attempt(round === 0 ? table : (table.latest ?? table))
    if (read !== undefined) return read
  }
  throw new ReadConflict(what)
}
