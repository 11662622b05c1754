// The runtime of a function: clients, clock and log, created once per execution environment.
import { AsyncLocalStorage } from 'node:async_hooks'
import { DYNAMODB, SQS, settingsIn } from '../aws/services.ts'
import { QUEUES, type QueueName } from '../events/message.ts'
import { openSender, openSqs, type QueueClient, type Sender } from '../events/sqs.ts'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import { connect, openTable, type Table } from '../table/client.ts'
import { type Environment, readEnvironment, required } from './environment.ts'
import { type Log, openLog } from './log.ts'

export type { Log } from './log.ts'
export type { Level } from './parameters.ts'

export type Runtime = {
  environment: Environment
  table: Table
  sqs: QueueClient
  sender: Sender
  clock: () => number
  log: Log
}

export function queueUrl(environment: Environment, queue: QueueName): string {
  return required(environment, QUEUES[queue].urlVariable)
}

/** Whether this process is a Lambda, and not a tool or a test that uses its code. */
export function isLambda(): boolean {
  return process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined
}

let current: Runtime | undefined
/** Where several functions share one process, each has its own. */
const own = new AsyncLocalStorage<Runtime>()

export function runtime(): Runtime {
  const running = own.getStore() ?? current
  if (running) return running
  current = createRuntime()
  return current
}

/** Calls a function of this process in its own runtime. */
export function withRuntime<T>(given: Runtime, run: () => T): T {
  return own.run(given, run)
}

/** For tests: gives the functions of this process another runtime, or a new one at the next call. */
export function setRuntime(own: Runtime | undefined): void {
  current = own
}

function createRuntime(): Runtime {
  const environment = readEnvironment(process.env)
  const sqs = openSqs(settingsIn(environment, SQS))
  return {
    environment,
    table: openTable(connect(settingsIn(environment, DYNAMODB)), environment.TABLE_NAME),
    sqs,
    sender: openSender(sqs, queue => queueUrl(environment, queue), Date.now),
    clock: Date.now,
    log: openLog({
      namespace: environment.METRICS_NAMESPACE,
      clock: Date.now,
      minimum: environment.LOG_LEVEL,
    }),
  }
}

export type JobContext = Omit<Runtime, 'sqs' | 'clock'> & { work: UnitOfWork; nowMs: number }
