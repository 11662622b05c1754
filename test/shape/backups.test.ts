// Checks the daily backups of a stage with `backupDays`: of what, for how long, what is kept, and the alarm.
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../infra/stage-settings.ts'
import { synthesize } from './synthesize.ts'
import { idIn, type Template } from './template.ts'

const stack = synthesize({ backupDays: '365', alarmEmail: 'owner@example.com' })
const vault = stack.only('AWS::Backup::BackupVault')
const vaultName = { 'Fn::GetAtt': [vault.id, 'BackupVaultName'] }

function selectionOf({ only }: Template) {
  const { BackupSelection } = only('AWS::Backup::BackupSelection').properties
  return BackupSelection
}

describe('the daily backups of a stage', () => {
  it('are made once a day, and deleted after the days of the value', () => {
    expect(stack.only('AWS::Backup::BackupPlan').properties).toMatchObject({
      BackupPlan: {
        BackupPlanRule: [
          {
            ScheduleExpression: 'cron(0 3 * * ? *)',
            Lifecycle: { DeleteAfterDays: 365 },
            TargetBackupVault: vaultName,
          },
        ],
      },
    })
  })

  it('are of the table only, by its ARN', () => {
    const table = stack.only('AWS::DynamoDB::GlobalTable').id
    expect(selectionOf(stack)).toMatchObject({ Resources: [{ 'Fn::GetAtt': [table, 'Arn'] }] })
    expect(selectionOf(stack)).not.toHaveProperty('ListOfTags')
  })

  it('are in an encrypted vault that is kept without its stack, as its key is', () => {
    const key = stack.only('AWS::KMS::Key')
    expect(vault.properties.EncryptionKeyArn).toEqual({ 'Fn::GetAtt': [key.id, 'Arn'] })
    expect(key.properties.EnableKeyRotation).toBe(true)
    expect([vault, key].map(({ deletionPolicy }) => deletionPolicy)).toEqual([
      'RetainExceptOnCreate',
      'RetainExceptOnCreate',
    ])
  })

  it('have a role that may back up and restore, and nothing else', () => {
    const { IamRoleArn } = Object(selectionOf(stack))
    const role = stack.of('AWS::IAM::Role').find(({ id }) => id === idIn(IamRoleArn))
    const { AssumeRolePolicyDocument, ManagedPolicyArns, Policies } = role?.properties ?? {}
    expect(JSON.stringify(AssumeRolePolicyDocument)).toContain('"Service":"backup.amazonaws.com"')
    expect(JSON.stringify(ManagedPolicyArns).match(/policy\/[\w/-]+/g)).toEqual([
      'policy/service-role/AWSBackupServiceRolePolicyForBackup',
      'policy/service-role/AWSBackupServiceRolePolicyForRestores',
    ])
    expect(Policies).toBeUndefined()
  })

  it('are of the adopted table, in a disposable stage that has the value, too', () => {
    const adopted = synthesize({ backupDays: '40', table: 'restored', disposable: 'true' })
    expect(JSON.stringify(selectionOf(adopted))).toContain(':table/restored')
    expect(adopted.only('AWS::Backup::BackupVault').deletionPolicy).toBe('RetainExceptOnCreate')
  })

  it('have an alarm for the jobs of the vault that fail, are aborted, or expire', () => {
    const Dimensions = [{ Name: 'BackupVaultName', Value: vaultName }]
    expect(stack.only('AWS::CloudWatch::Alarm', 'alarmsbackups').properties.Metrics).toMatchObject([
      { Expression: expect.stringContaining('FILL(m0, 0) + FILL(m1, 0) + FILL(m2, 0)') },
      ...['Failed', 'Aborted', 'Expired'].map(outcome => ({
        MetricStat: {
          Metric: {
            Namespace: 'AWS/Backup',
            MetricName: `NumberOfBackupJobs${outcome}`,
            Dimensions,
          },
          Stat: 'Sum',
        },
      })),
    ])
  })

  it.each(['0', '1.5', '36501', 'a year'])('cannot be kept for %s days', backupDays => {
    expect(() => readSettings(name => ({ backupDays })[name])).toThrow('backupDays')
  })
})
