// Consumer for slow messages: while some are in flight it keeps polling, so a POST that hangs occupies only
// a socket. Otherwise as many hanging POSTs as there may be runs (`maxConcurrency`) would stop the queue.
import { setTimeout as pause } from 'node:timers/promises'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { QueueName } from '../events/message.ts'
import { removeRows } from '../events/message-row.ts'
import { openReceiver, type ReceivedMessage } from '../events/receiver.ts'
import { queueUrl, type Runtime, runtime } from '../runtime/runtime.ts'
import type { Table } from '../table/client.ts'
import { endBatch, type Handle, messageRunner, receivedMessage, retryAfter } from './consume.ts'
import { asRun } from './run.ts'

/** A batch that ends within this time has no slow message, so the run ends without polling. */
const FAST_BATCH_MS = 100
/** A run polls much longer than one POST may hang, for a random time so that not all runs end together. */
const SHORTEST_RUN_MS = 20_000
const LONGEST_RUN_MS = 40_000
const MAX_IN_FLIGHT = 200
const POLL_SECONDS = 1
/** How often a full run looks for room. */
const LOOK_EVERY_MS = 10

export function consumeContinuously<Name extends QueueName>(
  queue: Name,
  handle: Handle<Name>,
  openRuntime: () => Runtime = runtime,
  /** Whether this process can take more messages. */
  hasRoom: (table: Table, messagesInFlight: number) => boolean = (_, inFlight) => inFlight < MAX_IN_FLIGHT,
) {
  const run = messageRunner(queue, handle, openRuntime)
  const handleRecords = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const { sqs, environment, log, table } = openRuntime()
    const receiver = openReceiver(sqs, queueUrl(environment, queue))
    const runMs = SHORTEST_RUN_MS + Math.random() * (LONGEST_RUN_MS - SHORTEST_RUN_MS)
    const untilMs = performance.now() + runMs
    const inFlight = new Set<Promise<unknown>>()
    const track = <T>(work: Promise<T>): Promise<T> => {
      const tracked = work.finally(() => inFlight.delete(tracked))
      inFlight.add(tracked)
      return tracked
    }
    const runPolled = async (message: ReceivedMessage) =>
      (await run(message)) ? receiver.remove(message) : retryAfter(openRuntime(), queue, [message])

    const received = Records.map(receivedMessage)
    const removing = [removeRows(openRuntime(), received)]
    const batch = track(Promise.all(received.map(run)))
    await Promise.race([batch, pause(FAST_BATCH_MS)])
    while (inFlight.size > 0 && performance.now() < untilMs) {
      if (!hasRoom(table, inFlight.size)) {
        await pause(LOOK_EVERY_MS)
        continue
      }
      const messages = await receiver.receive(POLL_SECONDS).catch(logProblem(log))
      if (!messages) break
      removing.push(removeRows(openRuntime(), messages))
      for (const message of messages) track(runPolled(message)).catch(logProblem(log))
    }
    await Promise.allSettled([...inFlight, ...removing])
    return endBatch(openRuntime(), queue, Records, await batch)
  }
  return (event: SQSEvent) => asRun(() => handleRecords(event))
}

/** Lambda's own poller retries the message. */
function logProblem(log: Runtime['log']) {
  return (problem: unknown): undefined => {
    log('warn', 'a message could not be taken or deleted', { problem: String(problem) })
  }
}
