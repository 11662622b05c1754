// Consuming where many messages at once are cheaper than one by one: a run takes what waits in the queue beside the
// batch that it was handed. What failed before is tried after all others, in smaller groups and then alone.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { type Body, parseBody, type QueueName } from '../events/message.ts'
import { openReceiver, type Taken } from '../events/receiver.ts'
import type { JobContext } from '../runtime/job.ts'
import { queueUrl, type Runtime, runtime } from '../runtime/runtime.ts'
import { slices } from '../table/concurrency.ts'
import { startDeadline, withDeadline } from '../table/deadline.ts'
import { endBatch, logFailure, retryAfter, takenOf } from './consume.ts'
import { openJobContext } from './job-context.ts'

/** Of the 120 s that its function has: no group begins later than this, and none tries for longer. */
const BATCH_MS = 50_000
/** A run that was cut off is over by then. Its queue's own time is six times as long, since runs may begin late. */
const CUT_OFF_SECONDS = 130
/** What a run has in hand at most. */
const MOST_AT_ONCE = 100
/** How many are done together on the first, second and every later try: what ends its run soon ends it alone. */
const BATCH_SIZE_BY_TRY = [MOST_AT_ONCE, 5]

/** Does the messages as one piece of work; answers with what went wrong with each, in their order, or undefined. */
export type HandleBatch<Name extends QueueName> = (
  messages: Body<Name>[],
  job: JobContext,
) => Promise<unknown[]>

export function consumeBatch<Name extends QueueName>(
  queue: Name,
  handle: HandleBatch<Name>,
  world: () => Runtime = runtime,
) {
  const receiver = () => openReceiver(world().sqs, queueUrl(world().environment, queue), CUT_OFF_SECONDS)

  /**
   * Beside the batch, what else waits. No more once some failed before: these are done alone, and each that the run
   * has no time for would have used up one of its receives.
   */
  const takeMore = async (given: Taken[]): Promise<Taken[]> => {
    const taken: Taken[] = []
    const areNew = () => [...given, ...taken].every(({ received }) => received === 1)
    try {
      while (given.length + taken.length < MOST_AT_ONCE && areNew()) {
        const more = await receiver().take(0)
        if (more.length === 0) break
        for (const one of more) taken.push(one)
      }
    } catch (problem) {
      world().log('warn', 'no more messages could be taken', { queue, problem: String(problem) })
    }
    return taken
  }

  /** Which of the group went well. */
  const runGroup = async (group: Taken[]): Promise<Taken[]> => {
    const readable = group.flatMap(taken => {
      try {
        return [{ taken, message: parseBody(queue, JSON.parse(taken.body)) }]
      } catch (problem) {
        logFailure(world(), queue, taken, problem)
        return []
      }
    })
    const job = openJobContext(world(), group[0]?.messageId ?? '')
    const messages = readable.map(({ message }) => message)
    const problems = await withDeadline(() => handle(messages, job), BATCH_MS).catch(problem =>
      messages.map((): unknown => problem),
    )
    return readable.flatMap(({ taken }, n) => {
      if (problems[n] === undefined) return [taken]
      logFailure(world(), queue, taken, problems[n])
      return []
    })
  }

  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const given = Records.map(takenOf)
    const mayBegin = startDeadline(BATCH_MS)
    const hidden = retryAfter(world(), queue, given, () => CUT_OFF_SECONDS)
    const beside = await takeMore(given)
    const done = new Set<Taken>()
    for (const group of groupsOf([...given, ...beside])) {
      if (mayBegin()) for (const taken of await runGroup(group)) done.add(taken)
    }
    await hidden
    // What was never begun has its pause, too: SQS counts the receive, and at once would bring it to the limit sooner.
    await removeAll(beside.filter(taken => done.has(taken)))
    await retryAfter(
      world(),
      queue,
      beside.filter(taken => !done.has(taken)),
    )
    return endBatch(
      world(),
      queue,
      Records,
      given.map(taken => done.has(taken)),
    )
  }

  /** The poller deletes only what it handed over. What cannot be deleted comes again and is done already. */
  async function removeAll(taken: Taken[]): Promise<void> {
    if (taken.length === 0) return
    await receiver()
      .removeMany(taken)
      .catch(problem =>
        world().log('warn', 'messages could not be deleted', { queue, problem: String(problem) }),
      )
  }
}

/** New ones first. Of those that were tried as often, the order is another one each time, so that each has its turn. */
function groupsOf(all: Taken[]): Taken[][] {
  const shuffled = all.map(taken => ({ taken, place: Math.random() })).sort((a, b) => a.place - b.place)
  const byTry = Map.groupBy(shuffled, ({ taken }) => Math.min(taken.received, BATCH_SIZE_BY_TRY.length + 1))
  return [...byTry]
    .sort(([a], [b]) => a - b)
    .flatMap(([tries, ofTry]) =>
      slices(
        ofTry.map(({ taken }) => taken),
        BATCH_SIZE_BY_TRY[tries - 1] ?? 1,
      ),
    )
}
