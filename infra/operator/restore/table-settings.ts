// Gives a restored table what AWS does not restore and no deployment changes, as the template would.

import {
  DescribeContinuousBackupsCommand,
  DescribeTimeToLiveCommand,
  ListTagsOfResourceCommand,
  type OnDemandThroughput,
  type TableDescription,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { TTL_ATTRIBUTE } from '../../names.ts'
import { readSettings } from '../../settings.ts'
import { STAGES } from '../../stages.ts'
import type { Context } from '../command.ts'
import { changeTable, describeTable } from './tables.ts'

type Ceiling = Required<OnDemandThroughput>
export type TableSettings = { isProtected: boolean; ceiling: Ceiling }

/** By the values in infra/stages.ts; those of a command line of `cdk deploy` are not known here. */
export function tableSettingsOf(stage: string | undefined): TableSettings {
  const values: Record<string, unknown> = (stage !== undefined && STAGES[stage]) || {}
  const { isDisposable, maxUnits } = readSettings(name => values[name])
  return {
    isProtected: !isDisposable,
    ceiling: { MaxReadRequestUnits: maxUnits.read, MaxWriteRequestUnits: maxUnits.write },
  }
}

export async function enableExpiry(context: Context, TableName: string): Promise<void> {
  const { dynamodb } = context.target
  await changeTable(context, TableName, async () => {
    const { TimeToLiveDescription } = await dynamodb.send(new DescribeTimeToLiveCommand({ TableName }))
    if (TimeToLiveDescription?.AttributeName === TTL_ATTRIBUTE) return
    const TimeToLiveSpecification = { AttributeName: TTL_ATTRIBUTE, Enabled: true }
    await dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
  })
}

export async function enableRecovery(context: Context, TableName: string): Promise<void> {
  const { dynamodb } = context.target
  await changeTable(context, TableName, async () => {
    const { ContinuousBackupsDescription } = await dynamodb.send(
      new DescribeContinuousBackupsCommand({ TableName }),
    )
    const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription
    if (recovery?.PointInTimeRecoveryStatus === 'ENABLED') return
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true }
    await dynamodb.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }))
  })
}

export async function protectFromDeletion(context: Context, TableName: string): Promise<void> {
  await changeTable(context, TableName, async ({ DeletionProtectionEnabled }) => {
    if (DeletionProtectionEnabled) return
    await context.target.dynamodb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }))
  })
}

export async function limitTable(context: Context, TableName: string, ceiling: Ceiling): Promise<void> {
  await changeTable(context, TableName, async table => {
    if (hasCeiling(table, ceiling)) return
    await context.target.dynamodb.send(new UpdateTableCommand({ TableName, OnDemandThroughput: ceiling }))
  })
}

/** AWS refuses an update that changes nothing. */
function hasCeiling(
  { OnDemandThroughput: current }: Pick<TableDescription, 'OnDemandThroughput'>,
  { MaxReadRequestUnits, MaxWriteRequestUnits }: Ceiling,
): boolean {
  return (
    current?.MaxReadRequestUnits === MaxReadRequestUnits &&
    current?.MaxWriteRequestUnits === MaxWriteRequestUnits
  )
}

/** Those of the old table, by which a bill may be divided; AWS keeps tags with its own prefix to itself. */
export async function copyTags({ target }: Context, from: string, to: string): Promise<void> {
  const [old, restored] = [await describeTable(target, from), await describeTable(target, to)]
  if (old?.TableArn === undefined || restored?.TableArn === undefined) return
  const { Tags = [] } = await target.dynamodb.send(
    new ListTagsOfResourceCommand({ ResourceArn: old.TableArn }),
  )
  const own = Tags.filter(({ Key }) => !Key?.startsWith('aws:'))
  if (own.length === 0) return
  await target.dynamodb.send(new TagResourceCommand({ ResourceArn: restored.TableArn, Tags: own }))
}
