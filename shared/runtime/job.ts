// The context of one message or scheduled run of a worker.
import type { Sender } from '../events/sender.ts'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import type { Table } from '../table/client.ts'
import type { Environment } from './environment.ts'
import type { Log } from './runtime.ts'

export type JobContext = {
  table: Table
  sender: Sender
  work: UnitOfWork
  nowMs: number
  environment: Environment
  log: Log
}
