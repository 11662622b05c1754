// Checks the daily backups of a stage with `backupDays`: of what, for how long, what is kept, and the alarm.
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { readSettings } from '../../infra/settings.ts'
import { readTemplate } from './synthesized.ts'
import { synthesizeHere } from './synthesized-here.ts'

type Synthesized = ReturnType<typeof synthesizeHere>

const Plan = z.object({
  BackupPlan: z.object({
    BackupPlanRule: z.tuple([
      z.looseObject({
        Lifecycle: z.strictObject({ DeleteAfterDays: z.number() }),
        ScheduleExpression: z.string(),
        TargetBackupVault: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
      }),
    ]),
  }),
})
const Selection = z.object({
  BackupSelection: z.looseObject({
    Resources: z.array(z.unknown()),
    IamRoleArn: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
  }),
})

function only({ resources }: Synthesized, type: string) {
  const [entry, ...more] = Object.entries(resources).filter(([, { Type }]) => Type === type)
  if (!entry || more.length > 0) throw new Error(`Expected one ${type}.`)
  const [id, { Properties, DeletionPolicy }] = entry
  return { id, properties: Properties, isRetained: DeletionPolicy === 'RetainExceptOnCreate' }
}

const stack = synthesizeHere({ context: { backupDays: '365', alarmEmail: 'owner@example.com' } })

describe('the daily backups of a stage', () => {
  const { BackupPlan: plan } = Plan.parse(only(stack, 'AWS::Backup::BackupPlan').properties)
  const [rule] = plan.BackupPlanRule
  const selection = Selection.parse(only(stack, 'AWS::Backup::BackupSelection').properties).BackupSelection

  it('are made once a day, and deleted after the days of the value', () => {
    expect(rule.ScheduleExpression).toBe('cron(0 3 * * ? *)')
    expect(rule.Lifecycle).toEqual({ DeleteAfterDays: 365 })
  })

  it('are of the table only, by its ARN', () => {
    const table = only(stack, 'AWS::DynamoDB::GlobalTable').id
    expect(selection.Resources).toEqual([{ 'Fn::GetAtt': [table, 'Arn'] }])
    expect(selection).not.toHaveProperty('ListOfTags')
  })

  it('are in an encrypted vault that is kept without its stack, as its key is', () => {
    const vault = only(stack, 'AWS::Backup::BackupVault')
    expect(vault.isRetained).toBe(true)
    expect(rule.TargetBackupVault).toEqual({ 'Fn::GetAtt': [vault.id, 'BackupVaultName'] })
    const [keyId] = z
      .object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) })
      .parse(vault.properties.EncryptionKeyArn)['Fn::GetAtt']
    expect(stack.resources[keyId]).toMatchObject({
      Type: 'AWS::KMS::Key',
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { EnableKeyRotation: true },
    })
  })

  it('have a role that may back up and restore, and nothing else', () => {
    const role = stack.resources[selection.IamRoleArn['Fn::GetAtt'][0]]
    const { AssumeRolePolicyDocument, ManagedPolicyArns, Policies } = role?.Properties ?? {}
    expect(JSON.stringify(AssumeRolePolicyDocument)).toContain('"Service":"backup.amazonaws.com"')
    expect(JSON.stringify(ManagedPolicyArns).match(/policy\/[\w/-]+/g)).toEqual([
      'policy/service-role/AWSBackupServiceRolePolicyForBackup',
      'policy/service-role/AWSBackupServiceRolePolicyForRestores',
    ])
    expect(Policies).toBeUndefined()
  })

  it('are of the adopted table, in a disposable stage that has the value, too', () => {
    const adopted = synthesizeHere({ context: { backupDays: '40', table: 'restored', disposable: 'true' } })
    const { Resources } = Selection.parse(
      only(adopted, 'AWS::Backup::BackupSelection').properties,
    ).BackupSelection
    expect(JSON.stringify(Resources)).toContain(':table/restored')
    expect(only(adopted, 'AWS::Backup::BackupVault').isRetained).toBe(true)
  })

  it('have an alarm for the jobs of the vault that fail, are aborted, or expire', () => {
    const [alarm] = Object.values(stack.resources).filter(({ Properties }) =>
      JSON.stringify(Properties.AlarmName ?? '').includes('-backups'),
    )
    const Value = { 'Fn::GetAtt': [only(stack, 'AWS::Backup::BackupVault').id, 'BackupVaultName'] }
    expect(alarm?.Properties.Metrics).toMatchObject([
      { Expression: expect.stringContaining('FILL(m0, 0) + FILL(m1, 0) + FILL(m2, 0)') },
      ...['Failed', 'Aborted', 'Expired'].map(outcome => ({
        MetricStat: {
          Metric: {
            Namespace: 'AWS/Backup',
            MetricName: `NumberOfBackupJobs${outcome}`,
            Dimensions: [{ Name: 'BackupVaultName', Value }],
          },
          Stat: 'Sum',
        },
      })),
    ])
  })

  it('do not exist without the value', () => {
    expect(readTemplate(inject('assembly')).text).not.toContain('AWS::Backup')
  })

  it.each(['0', '1.5', '36501', 'a year'])('cannot be kept for %s days', backupDays => {
    expect(() => readSettings(name => ({ backupDays })[name])).toThrow('backupDays')
  })
})
