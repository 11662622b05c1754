// The options and the service of a local run: the interface for the command line and for tests.
import type { Access } from './access/access.ts'
import type { DatabaseReach } from './emulators.ts'
import type { Interceptor } from './faults/call.ts'
import type { Log } from './log.ts'
import type { LocalMail } from './mail/mailbox.ts'
import type { Ses } from './mail/ses.ts'
import type { LocalMetrics } from './metrics/metrics.ts'
import type { QueueDepth } from './queues/fauxqs.ts'
import type { Secrets } from './secrets.ts'
import type { State } from './state.ts'

export type RunStackOptions = {
  /** The folder of the cloud assembly. */
  assembly: string
  /** Undefined: all data in memory. The run releases the state when the service stops or fails to start. */
  state?: State
  /** Undefined or 0: any free port. Rejects if the port is taken. */
  port?: number
  /** Further addresses and names by which clients may call the service; none: this machine only. */
  hosts?: string[]
  /** Values of the template's parameters. SiteUrl is the base URL by default. */
  parameters?: Record<string, string>
  /** Whether webhooks may go to this machine. No deployed stage allows it. */
  allowLoopbackWebhooks?: boolean
  /** False: schedules run only when `runSchedule` is called. */
  clock?: boolean
  /** Worker threads per function. By default the number of cores, at least 4 and at most 8. */
  mostThreads?: number
  /** Idle worker threads that all functions keep together. By default a few, which saves memory. */
  keptWorkers?: number
  /** Handle every AWS call of a function, in this order; none: calls go straight to the emulators. */
  interceptors?: Interceptor[]
  /** The clock of the metrics, in milliseconds. */
  metricsClock?: () => number
  /** How many functions may run at once. By default as many as in most accounts. */
  lambdaQuota?: () => number
  /** What goes wrong with a mail; by default nothing. */
  mailFaultOf?: Ses['faultOf']
  log?: Log
}

/** Queues, functions and schedules are named as in the stack's code, without the CDK's hash. */
export type LocalService = {
  baseUrl: string
  /** The emulator's endpoint with its key, for `clientSettings`. */
  dynamodbEndpoint: string
  sqsEndpoint: string
  secretsManagerEndpoint: string
  tableName: string
  /** Mails sent so far, oldest first. Empty if the run has a state, which keeps them as files. */
  mails: LocalMail[]
  /** Which permissions functions have, have used, and were denied. */
  access: Pick<Access, 'granted' | 'used' | 'denied'>
  metrics: LocalMetrics
  /** The outputs of the stack, as a deployment has them. */
  outputs: Record<string, string>
  secrets: Secrets
  queueUrl(name: string): string
  queueDepth(name: string): QueueDepth
  /** Rejects with the function's error. */
  invoke(name: string, event: unknown): Promise<unknown>
  /** @param name of the schedule or of its function. */
  runSchedule(name: string): Promise<unknown>
  /** Resolves with the database's last output if it ends by itself. The service does not work after that. */
  databaseFailed: Promise<string>
  databaseReachableFrom: DatabaseReach
  /** Finishes running work within a time limit and stops everything. */
  stop(): Promise<void>
}
