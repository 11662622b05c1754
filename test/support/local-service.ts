// Runs a whole service in this process, as `npm start` does but for the thread of its workers.
import { ACCOUNT_ID, fullNameOf } from '../../infra/local/account.ts'
import { type OpenBackground, openBackground } from '../../infra/local/background.ts'
import type { QueueDepth } from '../../infra/local/queues.ts'
import { openService, type ServiceOptions } from '../../infra/local/service.ts'
import { QUEUE_NAMES } from '../../shared/events/message.ts'

export type RunOptions = Pick<ServiceOptions, 'state' | 'port' | 'hosts' | 'hasClock' | 'log'> & {
  /** Variables of the functions, such as LIMIT_SCALE. */
  environment?: Record<string, string>
}

/** Tests share the CPU of one machine. */
const TIMES_LONGER = 10

export type LocalRun = Awaited<ReturnType<typeof runService>>

export async function runService(options: RunOptions = {}) {
  let background: OpenBackground | undefined
  const service = await openService({
    ...options,
    timeoutFactor: TIMES_LONGER,
    openBackground: async folders => {
      background = await openBackground({ folders, log: options.log ?? (() => {}) })
      return background
    },
  })
  if (!background) throw new Error('The service has no background.')
  const { mails, record, depthOf, run } = background
  const { endpoints } = service
  return {
    ...service,
    mails,
    dynamodbEndpoint: endpoints.dynamodb,
    sqsEndpoint: endpoints.sqs,
    secretsManagerEndpoint: endpoints.secretsManager,
    /** @param name such as `EventsQueue`, or `JobsDeadLetters`. */
    queueUrl: (name: string) => `${endpoints.sqs}/${ACCOUNT_ID}/${withEnding(name)}`,
    queueDepth: (name: string): QueueDepth => depthOf(withEnding(name)),
    /** What the functions and the workers may do, did, and were refused. */
    get access() {
      return {
        granted: new Set([...service.access.granted, ...record.granted]),
        used: new Set([...service.access.used, ...record.used]),
        denied: [...service.access.denied, ...record.denied],
      }
    },
    runSchedule: (name: string) => run(name, {}),
  }
}

/** The name with `.fifo`, if it is that of a FIFO queue or of its dead letters. */
function withEnding(name: string): string {
  const names = QUEUE_NAMES.flatMap(queue => [fullNameOf(queue), fullNameOf(queue, 'DeadLetters')])
  return names.find(full => full === `${name}.fifo`) ?? name
}
