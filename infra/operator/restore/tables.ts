// Restores a table by point-in-time recovery, and gives it what AWS does not restore: expiry and protection.

import { setTimeout as pause } from 'node:timers/promises'
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import type { Context } from '../command.ts'

const POLL_MS = 5_000
/** Restoring takes minutes to hours; an emulator is done at once. */
const FIRST_POLL_MS = 100
const TTL_ATTRIBUTE = 'expires'

export type Restoration = { from: string; to: string; atSeconds: number }

/** Continues with a table of the name that exists. Ends when the table can be used. */
export async function restoreTable(
  { target, progress }: Context,
  { from, to, atSeconds }: Restoration,
): Promise<{ isNew: boolean }> {
  const { documents } = target
  const before = await statusOf(target, to)
  if (before === undefined) {
    await documents.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: from,
        TargetTableName: to,
        RestoreDateTime: new Date(atSeconds * 1000),
      }),
    )
  }
  for (let waitMs = FIRST_POLL_MS; (await statusOf(target, to)) !== 'ACTIVE'; waitMs = POLL_MS) {
    progress.show(`AWS restores ${to}`)
    await pause(waitMs)
  }
  return { isNew: before === undefined }
}

/** Undefined if there is no such table. */
export async function statusOf(
  { documents }: Context['target'],
  TableName: string,
): Promise<string | undefined> {
  try {
    return (await documents.send(new DescribeTableCommand({ TableName }))).Table?.TableStatus
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined
    throw error
  }
}

/** A restored table has neither. Each call may be repeated. */
export async function protectTable({ target }: Context, TableName: string): Promise<void> {
  const { documents } = target
  const { TimeToLiveDescription } = await documents.send(new DescribeTimeToLiveCommand({ TableName }))
  if (TimeToLiveDescription?.AttributeName !== TTL_ATTRIBUTE) {
    const TimeToLiveSpecification = { AttributeName: TTL_ATTRIBUTE, Enabled: true }
    await documents.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
  }
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true }
  await documents.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }))
  await documents.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }))
}
