// Daily backups of the table by AWS Backup, for longer than the 35 days of point-in-time recovery.
import { Aws, CfnOutput, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib'
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Schedule } from 'aws-cdk-lib/aws-events'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Construct } from 'constructs'
import { acknowledge } from './acknowledge.ts'
import { BACKUP_ROLE_OUTPUT, BACKUP_VAULT_OUTPUT } from './names.ts'
import type { StageSettings } from './settings.ts'

/** AWS maintains what a backup and a restore need. The name of the policies has this prefix. */
const POLICIES = ['ForBackup', 'ForRestores'].map(
  purpose => `service-role/AWSBackupServiceRolePolicy${purpose}`,
)

/** Only with a value. Vault and key are kept if the stack is deleted, even that of a disposable stage. */
export function createBackups(
  scope: Construct,
  table: ITableV2,
  { backupDays }: StageSettings,
): BackupVault | undefined {
  if (backupDays === undefined) return undefined
  const within = new Construct(scope, 'Backups')
  const encryptionKey = new Key(within, 'Key', {
    description: 'Encrypts the daily backups of the table.',
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })
  const vault = new BackupVault(within, 'Vault', {
    backupVaultName: `backups-${uniqueToStack()}`,
    encryptionKey,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })
  const role = createRole(within)
  const plan = new BackupPlan(within, 'Plan', {
    backupPlanName: Aws.STACK_NAME,
    backupVault: vault,
    backupPlanRules: [
      new BackupPlanRule({
        ruleName: 'daily',
        scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
        deleteAfter: Duration.days(backupDays),
      }),
    ],
  })
  // By its ARN, because a selection by tags depends on a setting of the account.
  plan.addSelection('Table', { resources: [BackupResource.fromArn(table.tableArn)], role })
  new CfnOutput(scope, BACKUP_VAULT_OUTPUT, { value: vault.backupVaultName })
  new CfnOutput(scope, BACKUP_ROLE_OUTPUT, { value: role.roleArn })
  return vault
}

/** A vault must have a name, which that of a deleted stack of the same name still has. */
function uniqueToStack(): string {
  return Fn.select(2, Fn.split('/', Aws.STACK_ID))
}

function createRole(scope: Construct): Role {
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('backup.amazonaws.com'),
    managedPolicies: POLICIES.map(name => ManagedPolicy.fromAwsManagedPolicyName(name)),
  })
  for (const name of POLICIES) {
    acknowledge(
      role,
      `IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`,
      'AWS maintains what its backup service needs; the plan selects only the table.',
    )
  }
  return role
}
