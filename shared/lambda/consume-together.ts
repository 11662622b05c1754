// Consuming where a batch is cheaper than its messages one by one: together first, each by itself where that fails.
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { QueueName } from '../events/message.ts'
import { startPatience, withPatience } from '../table/patience.ts'
import { type Body, endBatch, messageRunner, readMessage, showAgain, takenOf } from './consume.ts'
import { type Job, openJob } from './job.ts'
import { type Runtime, runtime } from './runtime.ts'

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
      const messages = records.map(({ body }) => readMessage(queue, body))
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
    for (const record of records) outcomes.push(mayBegin() && (await runAlone(takenOf(record))))
    return outcomes
  }
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const [outcomes] = await Promise.all([
      run(Records),
      showAgain(world(), queue, Records.map(takenOf), () => CUT_OFF_SECONDS),
    ])
    return endBatch(world(), queue, Records, outcomes)
  }
}
