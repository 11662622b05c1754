// Makes the deliveries of a message side by side, and sends those that failed again without the others.
import type { Message } from '../../events/message.ts'
import { pauseSeconds } from '../../events/receiver.ts'
import { requireSent } from '../../events/sender.ts'
import type { JobContext } from '../../runtime/job.ts'
import { withDeadline } from '../../table/deadline.ts'
import { perTable } from '../../table/per-table.ts'

/** No message begins while so many deliveries are under way in this process. */
const PLACES = 50
/** A delivery that takes longer waits for its receiver. It costs a socket and no CPU, and needs no place. */
const QUICK_MS = 1_000
/** No call for a delivery is retried later. */
const TIMEOUT_MS = 15_000

const roomOf = perTable(() => ({ free: PLACES, waiting: [] as (() => void)[] }))
type Room = ReturnType<typeof roomOf>

/**
 * `start` reads what the message needs, and returns what makes one delivery. Those that fail before their
 * claim come again in a message of their own. Throws if all fail: then this message itself comes again.
 */
export async function sideBySide<T>(
  job: JobContext,
  all: T[],
  start: (context: JobContext) => (one: T, n: number) => Promise<void>,
  messageOf: (some: T[]) => Message,
): Promise<void> {
  const room = roomOf(job.table)
  while (room.free <= 0) await new Promise<void>(resolve => room.waiting.push(resolve))
  room.free -= all.length
  const outcomes = await withDeadline(() => {
    const makeOne = start({ ...job, nowMs: job.work.clock() })
    return Promise.allSettled(all.map((one, n) => inPlace(room, () => makeOne(one, n))))
  }, TIMEOUT_MS)
  const problems = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (problems.length === 0) return
  const summary = `${problems.length} of ${all.length} deliveries failed.`
  if (problems.length === all.length) throw new Error(summary, { cause: problems[0] })
  job.log('warn', 'deliveries are tried again', { summary, problem: String(problems[0]) })
  const failed = all.filter((_, n) => outcomes[n]?.status === 'rejected')
  const sent = await job.sender.send([{ ...messageOf(failed), delaySeconds: pauseSeconds(1) }])
  requireSent(sent, 'messages with deliveries that failed')
}

/** Leaves the place when the delivery ends or turns out to be slow, and wakes a message that waits. */
async function inPlace(room: Room, make: () => Promise<void>): Promise<void> {
  let isTaken = true
  const leave = () => {
    if (isTaken) room.free++
    isTaken = false
    room.waiting.shift()?.()
  }
  const timer = setTimeout(leave, QUICK_MS)
  try {
    await make()
  } finally {
    clearTimeout(timer)
    leave()
  }
}
