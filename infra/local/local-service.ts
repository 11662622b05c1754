// What a local run offers to the one who started it: the command line and the tests.
import type { Access } from './access/access.ts'
import type { DatabaseReach } from './emulators.ts'
import type { Interceptor } from './faults/call.ts'
import type { Log } from './log.ts'
import type { LocalMail } from './mail/mailbox.ts'
import type { QueueDepth } from './queues/fauxqs.ts'
import type { Secrets } from './secrets.ts'
import type { State } from './state.ts'

export type RunStackOptions = {
  /** The folder of the cloud assembly. */
  assembly: string
  /** Undefined: all data in memory. Taken over: released when the service stops or does not come up. */
  state?: State
  /** Undefined or 0: any free one. A port that is taken rejects with EADDRINUSE. */
  port?: number
  /** What it is called by others, who may then call it; none: this machine alone. */
  hosts?: string[]
  /** Values of the template's parameters; SiteUrl is the base URL unless given. */
  parameters?: Record<string, string>
  /** Whether webhooks may go to this machine, which no stage may allow. */
  allowLoopbackWebhooks?: boolean
  /** False: schedules run only when `runSchedule` says so. */
  clock?: boolean
  /** Of each function at once (as many as there are cores, 4 to 8). */
  mostWorkers?: number
  /** Those who have a say in every call of a function, the first one first; none: calls go straight to the emulators. */
  interceptors?: Interceptor[]
  log?: Log
}

/** Queues, functions and schedules go by the name that the stack's code gave them, without the CDK's hash. */
export type LocalService = {
  baseUrl: string
  /** Of emulators, with the key to their doors: for `clientOf`. */
  dynamodbEndpoint: string
  sqsEndpoint: string
  tableName: string
  /** The mails that were sent, oldest first; with a state they are files in its folder instead. */
  mails: LocalMail[]
  /** What functions may do, needed, and were denied. */
  access: Pick<Access, 'granted' | 'used' | 'denied'>
  /** The stack's outputs, as a deployed one names its parts to others. */
  outputs: Record<string, string>
  secrets: Secrets
  queueUrl(name: string): string
  queueDepth(name: string): QueueDepth
  /** Rejects with what the function failed with. */
  invoke(name: string, event: unknown): Promise<unknown>
  /** Of the schedule itself or of its function. */
  runSchedule(name: string): Promise<unknown>
  /** Settles, with its last words, when the database ended by itself: the service is of no use from then on. */
  databaseFailed: Promise<string>
  databaseReachableFrom: DatabaseReach
  /** Finishes what it is at, within limits, and leaves nothing running. */
  stop(): Promise<void>
}
