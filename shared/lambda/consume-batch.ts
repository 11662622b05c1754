// Consumer for messages that are cheaper together: a run also receives what else waits in the queue.
// Messages that failed before are handled last, in smaller groups and then alone.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { type Body, parseBody, type QueueName } from '../events/message.ts'
import { removeRows } from '../events/message-row.ts'
import { openReceiver, type ReceivedMessage } from '../events/receiver.ts'
import type { JobContext } from '../runtime/job.ts'
import { queueUrl, type Runtime, runtime } from '../runtime/runtime.ts'
import { slices } from '../table/concurrency.ts'
import { startDeadline, withDeadline } from '../table/deadline.ts'
import { endBatch, logFailure, receivedMessage, retryAfter } from './consume.ts'
import { openJobContext } from './job-context.ts'
import { asRun } from './run.ts'

/** No group starts later in a run, and none takes longer. The function has 120 s. */
const GROUP_DEADLINE_MS = 50_000
/** A killed run is over by then. The queue's time-out is six times as long, because runs may start late. */
const VISIBILITY_SECONDS = 130
/** The most messages of one run. */
const MAX_MESSAGES = 100
/** For the first and second attempt. Later ones are alone, which isolates a message that kills its run. */
const GROUP_SIZE_BY_ATTEMPT = [MAX_MESSAGES, 5]

/** Handles the messages together. Returns for each, in order, what went wrong, or undefined. */
export type HandleBatch<Name extends QueueName> = (
  messages: Body<Name>[],
  job: JobContext,
) => Promise<unknown[]>

export function consumeBatch<Name extends QueueName>(
  queue: Name,
  handle: HandleBatch<Name>,
  openRuntime: () => Runtime = runtime,
) {
  const openOwnReceiver = () => {
    const { sqs, environment } = openRuntime()
    return openReceiver(sqs, queueUrl(environment, queue), VISIBILITY_SECONDS)
  }

  /** Receives more messages, unless some have failed before: those are slow, and every receive counts. */
  const receiveMore = async (batch: ReceivedMessage[]): Promise<ReceivedMessage[]> => {
    const polled: ReceivedMessage[] = []
    const areNew = () => [...batch, ...polled].every(({ received }) => received === 1)
    try {
      while (batch.length + polled.length < MAX_MESSAGES && areNew()) {
        const more = await openOwnReceiver().receive(0)
        if (more.length === 0) break
        for (const message of more) polled.push(message)
      }
    } catch (problem) {
      openRuntime().log('warn', 'no more messages could be taken', { queue, problem: String(problem) })
    }
    return polled
  }

  /** Returns the messages of the group that succeeded. */
  const runGroup = async (group: ReceivedMessage[]): Promise<ReceivedMessage[]> => {
    const readable = group.flatMap(received => {
      try {
        return [{ received, message: parseBody(queue, JSON.parse(received.body)) }]
      } catch (problem) {
        logFailure(openRuntime(), queue, received, problem)
        return []
      }
    })
    const job = openJobContext(openRuntime(), group[0]?.messageId ?? '')
    const messages = readable.map(({ message }) => message)
    const problems = await withDeadline(() => handle(messages, job), GROUP_DEADLINE_MS).catch(problem =>
      messages.map((): unknown => problem),
    )
    return readable.flatMap(({ received }, n) => {
      if (problems[n] === undefined) return [received]
      logFailure(openRuntime(), queue, received, problems[n])
      return []
    })
  }

  const handleRecords = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const batch = Records.map(receivedMessage)
    const hasTime = startDeadline(GROUP_DEADLINE_MS)
    const hiding = retryAfter(openRuntime(), queue, batch, () => VISIBILITY_SECONDS)
    const polled = await receiveMore(batch)
    const removing = removeRows(openRuntime(), [...batch, ...polled])
    const done = new Set<ReceivedMessage>()
    for (const group of groupsOf([...batch, ...polled])) {
      if (hasTime()) for (const message of await runGroup(group)) done.add(message)
    }
    await Promise.all([hiding, removing])
    const succeeded = polled.filter(message => done.has(message))
    // Messages that were not started wait as well: SQS has counted their receive.
    const remaining = polled.filter(message => !done.has(message))
    await removeAll(succeeded)
    await retryAfter(openRuntime(), queue, remaining)
    const outcomes = batch.map(message => done.has(message))
    return endBatch(openRuntime(), queue, Records, outcomes)
  }
  return (event: SQSEvent) => asRun(() => handleRecords(event))

  /** Lambda deletes only the messages of its own batch. One that cannot be deleted is handled again. */
  async function removeAll(messages: ReceivedMessage[]): Promise<void> {
    if (messages.length === 0) return
    await openOwnReceiver()
      .removeMany(messages)
      .catch(problem =>
        openRuntime().log('warn', 'messages could not be deleted', { queue, problem: String(problem) }),
      )
  }
}

/** New messages first. The order among those with as many attempts is random, so that each gets its turn. */
function groupsOf(all: ReceivedMessage[]): ReceivedMessage[][] {
  const shuffled = all
    .map(message => ({ message, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ message }) => message)
  const byAttempt = Map.groupBy(shuffled, ({ received }) =>
    Math.min(received, GROUP_SIZE_BY_ATTEMPT.length + 1),
  )
  return [...byAttempt]
    .sort(([a], [b]) => a - b)
    .flatMap(([attempt, messages]) => slices(messages, GROUP_SIZE_BY_ATTEMPT[attempt - 1] ?? 1))
}
