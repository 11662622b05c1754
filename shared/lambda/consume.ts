// A queue's messages, side by side: one that fails comes again, and holds up none of the others.
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type * as z from 'zod/mini'
import { QUEUES, type QueueName } from '../events/message.ts'
import { openReceiver, pauseSeconds } from '../events/receiver.ts'
import { startPatience, withPatience } from '../table/patience.ts'
import { type Job, openJob } from './job.ts'
import { queueUrl, type Runtime, runtime } from './runtime.ts'

type Body<Name extends QueueName> = z.output<(typeof QUEUES)[Name]>
export type Handle<Name extends QueueName> = (message: Body<Name>, job: Job) => Promise<void>

/** A run may have taken messages for 13 s before it takes its last, and is over after 30 s. */
const PATIENCE_MS = 15_000

/** A message as it lies in its queue, and how often it was handed out. */
export type Raw = { messageId: string; body: string; received: number }

const schemas: { [Name in QueueName]: z.ZodMiniType<Body<Name>> } = QUEUES

/**
 * Handles one message; false when it failed, which is logged. One that its schema does not know fails like any
 * other, until it is among the dead letters.
 */
export const messageRunner =
  <Name extends QueueName>(
    queue: Name,
    handle: Handle<Name>,
    world: () => Runtime,
    patienceMs: number = PATIENCE_MS,
  ) =>
  async ({ messageId, body, received }: Raw): Promise<boolean> => {
    try {
      const message = schemas[queue].parse(JSON.parse(body))
      await withPatience(() => handle(message, openJob(world(), messageId)), patienceMs)
      return true
    } catch (error) {
      const problem = error instanceof Error ? (error.stack ?? error.message) : String(error)
      world().log('error', 'a message failed', { queue, message_id: messageId, received, error: problem })
      return false
    }
  }

export const consume = <Name extends QueueName>(
  queue: Name,
  handle: Handle<Name>,
  world: () => Runtime = runtime,
) => {
  const run = messageRunner(queue, handle, world)
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> =>
    failuresOf(Records, await Promise.all(Records.map(record => run(rawOf(record)))))
}

export const rawOf = ({ messageId, body, attributes }: SQSRecord): Raw => ({
  messageId,
  body,
  received: Number(attributes.ApproximateReceiveCount),
})

/** Reported one by one, so that those that went well are not handed out again. */
export const failuresOf = (records: SQSRecord[], outcomes: boolean[]): SQSBatchResponse => ({
  batchItemFailures: records.flatMap(({ messageId }, n) =>
    outcomes[n] ? [] : [{ itemIdentifier: messageId }],
  ),
})

/** Of the 120 s that its function has: so long for all together, and then for those that are done by themselves. */
const TOGETHER_MS = 50_000
/** A run that was cut off is over by then. Its queue's own time is six times as long, since runs may begin late. */
const CUT_OFF_SECONDS = 130

/** All messages of a batch as one piece of work; where it fails, each by itself, so that none holds up the others. */
export const consumeTogether = <Name extends QueueName>(
  queue: Name,
  handle: (messages: Body<Name>[], job: Job) => Promise<void>,
  world: () => Runtime = runtime,
) => {
  const runAlone = messageRunner(queue, (message, job) => handle([message], job), world, TOGETHER_MS)
  const runTogether = async (records: SQSRecord[]): Promise<boolean> => {
    try {
      const messages = records.map(({ body }) => schemas[queue].parse(JSON.parse(body)))
      const job = openJob(world(), records[0]?.messageId ?? '')
      await withPatience(() => handle(messages, job), TOGETHER_MS)
      return true
    } catch (error) {
      world().log('warn', 'a batch failed; each of it is done by itself', { queue, problem: String(error) })
      return false
    }
  }
  const run = async (records: SQSRecord[]): Promise<boolean[]> => {
    const mayBegin = startPatience(TOGETHER_MS)
    if (records.length > 1 && (await runTogether(records))) return records.map(() => true)
    const outcomes: boolean[] = []
    for (const record of records) outcomes.push(mayBegin() && (await runAlone(rawOf(record))))
    return outcomes
  }
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const [outcomes] = await Promise.all([
      run(Records),
      showAgain(world(), queue, Records, () => CUT_OFF_SECONDS),
    ])
    const failed = Records.filter((_, n) => !outcomes[n])
    await showAgain(world(), queue, failed, record => pauseSeconds(rawOf(record).received))
    return failuresOf(Records, outcomes)
  }
}

/** By itself its queue would wait for minutes, and with a message its group. */
const showAgain = async (
  { sqs, environment, log }: Runtime,
  queue: QueueName,
  records: SQSRecord[],
  secondsOf: (record: SQSRecord) => number,
): Promise<void> => {
  try {
    const batch = records.map(record => ({ receipt: record.receiptHandle, seconds: secondsOf(record) }))
    await openReceiver(sqs, queueUrl(environment, queue)).showAgain(batch)
  } catch (error) {
    log('warn', 'what fails comes again later than it should', { queue, problem: String(error) })
  }
}
