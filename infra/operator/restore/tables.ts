// Restores a table by point-in-time recovery, describes tables, and changes them while AWS does, too.

import { setTimeout as pause } from 'node:timers/promises'
import {
  ContinuousBackupsUnavailableException,
  DescribeTableCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  TableAlreadyExistsException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb'
import { OPEN_INDEX } from '../../../shared/table/design.ts'
import type { Context } from '../command.ts'
import { OperatorError } from '../operator-error.ts'

const POLL_MS = 5_000
/** Restoring takes minutes to hours; an emulator is done at once. */
const FIRST_POLL_MS = 100
const BUSY = new Set(['CREATING', 'UPDATING'])
/** AWS refuses changes of a table while another one runs, and for a while after a restore. */
const MOST_TRIES = 120

export type Restoration = { from: string; to: string; atSeconds: number }

/** Undefined if there is no such table. */
export async function describeTable(
  { documents }: Context['target'],
  TableName: string,
): Promise<TableDescription | undefined> {
  try {
    return (await documents.send(new DescribeTableCommand({ TableName }))).Table
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
    await target.documents.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: from,
        TargetTableName: to,
        RestoreDateTime: new Date(atSeconds * 1000),
      }),
    )
    return true
  } catch (error) {
    if (error instanceof TableAlreadyExistsException) return false
    throw error
  }
}

/** Returns the table once it and its index can be used and changed. */
export async function untilUsable({ target, progress }: Context, name: string): Promise<TableDescription> {
  for (let waitMs = FIRST_POLL_MS; ; waitMs = POLL_MS) {
    const table = await describeTable(target, name)
    const status = table?.TableStatus
    if (table && status === 'ACTIVE' && !table.GlobalSecondaryIndexes?.some(isBusy)) return table
    if (status !== 'ACTIVE' && !BUSY.has(status ?? '')) {
      throw new OperatorError(
        `AWS cannot restore ${name}: its status is ${status ?? 'deleted'}. Choose another name with --as.`,
      )
    }
    progress.show(`AWS restores ${name}`)
    await pause(waitMs)
  }
}

function isBusy({ IndexStatus = '' }: { IndexStatus?: string | undefined }): boolean {
  return BUSY.has(IndexStatus)
}

/** Throws unless the table has the keys and the index of this service. */
export function checkKeys({ TableName, KeySchema, GlobalSecondaryIndexes }: TableDescription): void {
  const keys = KeySchema?.map(({ AttributeName }) => AttributeName).join()
  const hasIndex = GlobalSecondaryIndexes?.some(({ IndexName }) => IndexName === OPEN_INDEX.name)
  if (keys === 'pk,sk' && hasIndex) return
  throw new OperatorError(`${TableName} is not a table of this service. Choose another name with --as.`)
}

/** Waits for a change of the table that runs, by this command or by another one. */
export async function changeTable(
  context: Context,
  name: string,
  change: (table: TableDescription) => Promise<unknown>,
): Promise<void> {
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
      await pause(POLL_MS)
    }
  }
}
