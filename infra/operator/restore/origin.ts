// Checks that a table which exists is the one that the command means, before it writes to it.
import type { TableDescription } from '@aws-sdk/client-dynamodb'
import { isoTime } from '../../../shared/http/time.ts'
import { OperatorError } from '../operator-error.ts'
import type { OldTable } from './partition.ts'
import { checkKeys, type Restoration } from './tables.ts'

/** AWS rounds a moment to the second, and begins a backup some seconds after its time. */
const ROUNDED_SECONDS = 60

/** Throws for a table that is not from this moment, such as the one of another stage. */
export function checkOrigin(
  { from, to, atSeconds, isAdopted, olds }: Restoration & { isAdopted: boolean; olds: OldTable[] },
  table: TableDescription,
): void {
  checkKeys(table)
  if (isAdopted) return
  const { RestoreDateTime, SourceTableArn, SourceBackupArn } = table.RestoreSummary ?? {}
  if (!RestoreDateTime) {
    throw new OperatorError(
      `AWS does not say that ${to} was restored. If AWS Backup did, pass --adopt. Otherwise choose another name with --as.`,
    )
  }
  const restoredSeconds = Math.floor(RestoreDateTime.getTime() / 1000)
  if (Math.abs(restoredSeconds - atSeconds) > ROUNDED_SECONDS) {
    throw new OperatorError(
      `${to} is from another moment: pass --to ${isoTime(restoredSeconds)}, or another name with --as.`,
    )
  }
  const source = SourceTableArn?.split('/').at(-1)
  // A backup may be of a table that the stage used before.
  const hasSource = SourceBackupArn === undefined && source !== undefined
  if (hasSource && source !== from && olds.length > 0) {
    throw new OperatorError(`${to} was restored from ${source}: pass --source ${source}.`)
  }
}
