// Restores a table by point-in-time recovery, describes tables, and changes them while AWS does, too.

import { setTimeout as pause } from 'node:timers/promises'
import {
  ContinuousBackupsUnavailableException,
  DescribeTableCommand,
  InvalidRestoreTimeException,
  PointInTimeRecoveryUnavailableException,
  ResourceInUseException,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  TableAlreadyExistsException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb'
import type { Context } from '../command.ts'
import { OperatorError } from '../operator-error.ts'

/** Restoring takes minutes to hours; an emulator is done at once. Each wait is twice as long as the last. */
const FIRST_POLL_MS = 100
const LAST_POLL_MS = 5_000
/** For some seconds, AWS does not know a table whose restore it has accepted. */
const MOST_MISSES = 20
const BUSY = new Set(['CREATING', 'UPDATING'])
/** AWS refuses changes of a table while another one runs, and for a while after a restore. */
const MOST_TRIES = 120

export type Restoration = { from: string; to: string; atSeconds: number }

/** Undefined if there is no such table. */
export async function describeTable(
  { dynamodb }: Context['target'],
  TableName: string,
): Promise<TableDescription | undefined> {
  try {
    return (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined
    throw error
  }
}

/** Returns false if the table exists, since another call of the command has begun. */
export async function beginRestore(
  { target }: Context,
  { from, to, atSeconds }: Restoration,
): Promise<boolean> {
  if (await describeTable(target, to)) return false
  try {
    await target.dynamodb.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: from,
        TargetTableName: to,
        RestoreDateTime: new Date(atSeconds * 1000),
      }),
    )
    return true
  } catch (error) {
    if (error instanceof TableAlreadyExistsException) return false
    if (error instanceof InvalidRestoreTimeException) {
      throw new OperatorError(
        `AWS has no state of ${from} at this moment: point-in-time recovery keeps 35 days, from about five minutes ago on. A daily backup may be older: infra/restore.md.`,
      )
    }
    if (error instanceof PointInTimeRecoveryUnavailableException) {
      throw new OperatorError(`${from} has no point-in-time recovery, as of a disposable stage.`)
    }
    throw error
  }
}

/** Returns the table once it can be used and changed. */
export async function untilUsable({ target, progress }: Context, name: string): Promise<TableDescription> {
  let misses = 0
  for (let waitMs = FIRST_POLL_MS; ; waitMs = longer(waitMs)) {
    const table = await describeTable(target, name)
    const status = table?.TableStatus
    if (table && status === 'ACTIVE') return table
    misses = table ? 0 : misses + 1
    if (misses > MOST_MISSES || (status && status !== 'ACTIVE' && !BUSY.has(status))) {
      throw new OperatorError(
        `AWS does not restore ${name}: its status is ${status ?? 'deleted'}. Choose another name with --as.`,
      )
    }
    progress.show(`AWS restores ${name}`)
    await pause(waitMs)
  }
}

function longer(waitMs: number): number {
  return Math.min(2 * waitMs, LAST_POLL_MS)
}

/** Throws unless the table has the keys of this service. */
export function checkKeys({ TableName, KeySchema }: TableDescription): void {
  const keys = KeySchema?.map(({ AttributeName }) => AttributeName).join()
  if (keys === 'pk,sk') return
  throw new OperatorError(`${TableName} is not a table of this service. Choose another name with --as.`)
}

/** Waits for a change of the table that runs, by this command or by another one. */
export async function changeTable(
  context: Context,
  name: string,
  change: (table: TableDescription) => Promise<unknown>,
): Promise<void> {
  let waitMs = FIRST_POLL_MS
  for (let tries = 1; ; tries++) {
    const table = await untilUsable(context, name)
    try {
      await change(table)
      return
    } catch (error) {
      const isLater =
        error instanceof ResourceInUseException || error instanceof ContinuousBackupsUnavailableException
      if (!isLater || tries >= MOST_TRIES) throw error
      context.progress.show(`AWS changes ${name}`)
      await pause(waitMs)
      waitMs = longer(waitMs)
    }
  }
}
