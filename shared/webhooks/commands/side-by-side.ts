// Handles the deliveries of a message side by side, and sends those that failed again without the others.
import type { Message } from '../../events/message.ts'
import { pauseSeconds } from '../../events/receiver.ts'
import { requireSent } from '../../events/sender.ts'
import type { JobContext } from '../../runtime/job.ts'
import type { Table } from '../../table/client.ts'
import { withDeadline } from '../../table/deadline.ts'
import { perTable } from '../../table/per-table.ts'

/** The messages that a process handles at the same time, each with up to 25 deliveries. */
const MAX_MESSAGES = 5
/** A message that takes longer waits for a receiver. That costs a socket and no CPU, so the next one begins. */
const QUICK_MS = 1_000
/** No call for a delivery is retried later. */
const TIMEOUT_MS = 15_000

const turnsOf = perTable(() => ({ free: MAX_MESSAGES, waiting: [] as (() => void)[] }))

/** Waits until few other messages are being handled in this process. */
export async function inTurn(table: Table, handle: () => Promise<void>): Promise<void> {
  const turns = turnsOf(table)
  if (turns.free > 0) {
    turns.free--
  } else {
    await new Promise<void>(resolve => turns.waiting.push(resolve))
  }
  let hasTurn = true
  const pass = () => {
    if (!hasTurn) return
    hasTurn = false
    const next = turns.waiting.shift()
    if (next) next()
    else turns.free++
  }
  const timer = setTimeout(pass, QUICK_MS)
  try {
    await withDeadline(handle, TIMEOUT_MS)
  } finally {
    clearTimeout(timer)
    pass()
  }
}

/**
 * If some deliveries failed before their claim, the queue gets a message with those alone, and this one is
 * done. Throws if all of them failed: then this message itself comes again.
 */
export async function allSideBySide<T>(
  { sender, log }: Pick<JobContext, 'sender' | 'log'>,
  all: T[],
  handle: (one: T, n: number) => Promise<void>,
  messageOf: (some: T[]) => Message,
): Promise<void> {
  const outcomes = await Promise.allSettled(all.map(handle))
  const problems = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (problems.length === 0) return
  const summary = `${problems.length} of ${all.length} deliveries failed.`
  if (problems.length === all.length) throw new Error(summary, { cause: problems[0] })
  log('warn', 'deliveries failed and are tried again', { summary, problem: String(problems[0]) })
  const failed = all.filter((_, n) => outcomes[n]?.status === 'rejected')
  const sent = await sender.send([{ ...messageOf(failed), delaySeconds: pauseSeconds(1) }])
  requireSent(sent, 'messages with deliveries that failed')
}
