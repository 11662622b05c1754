// Consuming where a message may hang for seconds: while it does, its run takes further messages by itself, so
// that those who hang cost sockets and not workers. Without it, eight hanging POSTs in eight batches stop a queue.
import { setTimeout as pause } from 'node:timers/promises'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { QueueName } from '../events/message.ts'
import { openReceiver, type Taken } from '../events/receiver.ts'
import { queueUrl, type Runtime, runtime } from '../runtime/runtime.ts'
import { endBatch, type Handle, messageRunner, retryAfter, takenOf } from './consume.ts'

/** A batch that ends in this time hangs nowhere, and its run is over. */
const SETTLES_MS = 100
/**
 * How long a run goes on taking: long beside what one POST may hang, and of random length, so that hardly ever all
 * runs are waiting for their last at once.
 */
const LEAST_MS = 20_000
const MOST_MS = 40_000
/** What one run may have under way at once. */
const MOST_AT_ONCE = 200
const WAIT_SECONDS = 1

export function consumeContinuously<Name extends QueueName>(
  queue: Name,
  handle: Handle<Name>,
  world: () => Runtime = runtime,
) {
  const run = messageRunner(queue, handle, world)
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const { sqs, environment, log } = world()
    const receiver = openReceiver(sqs, queueUrl(environment, queue))
    const untilMs = performance.now() + LEAST_MS + Math.random() * (MOST_MS - LEAST_MS)
    const underWay = new Set<Promise<unknown>>()
    const track = <T>(work: Promise<T>): Promise<T> => {
      const tracked = work.finally(() => underWay.delete(tracked))
      underWay.add(tracked)
      return tracked
    }
    /** Deleted only when it went well. */
    const runTaken = async (taken: Taken) =>
      (await run(taken)) ? receiver.remove(taken) : retryAfter(world(), queue, [taken])

    const batch = track(Promise.all(Records.map(record => run(takenOf(record)))))
    await Promise.race([batch, pause(SETTLES_MS)])
    while (underWay.size > 0 && performance.now() < untilMs) {
      if (underWay.size >= MOST_AT_ONCE) await Promise.race(underWay)
      const taken = await receiver.take(WAIT_SECONDS).catch(noMore(log))
      if (!taken) break
      for (const message of taken) track(runTaken(message)).catch(noMore(log))
    }
    await Promise.allSettled(underWay)
    return endBatch(world(), queue, Records, await batch)
  }
}

/** A queue that does not answer is the poller's to try again. */
function noMore(log: Runtime['log']) {
  return (problem: unknown): undefined => {
    log('warn', 'a message could not be taken or deleted', { problem: String(problem) })
  }
}
