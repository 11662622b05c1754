// What a stage keeps: the table, the secrets without which it cannot be read, and a backup of each day.
import { Aws, CfnOutput, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib'
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup'
import { AttributeType, Billing, type ITableV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Schedule } from 'aws-cdk-lib/aws-events'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import type { SecretName } from '../shared/runtime/parameters.ts'
import { secretOutput, TTL_ATTRIBUTE } from './names.ts'
import type { StageSettings } from './stage-settings.ts'

/** A creation that fails removes what it made; later, data stays without its stack. */
const KEPT = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE

function removalOf({ disposable }: StageSettings): RemovalPolicy {
  return disposable ? RemovalPolicy.DESTROY : KEPT
}

/**
 * An adopted table belongs to no stack, so no deployment changes or deletes it. The stack's own one is then
 * no longer part of it, and is kept unless the stage is disposable.
 */
export function createTable(scope: Construct, settings: StageSettings): ITableV2 {
  const { table, disposable, maxReadRequestUnits, maxWriteRequestUnits } = settings
  if (table !== undefined) return TableV2.fromTableName(scope, 'Table', table)
  return new TableV2(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billing: Billing.onDemand({ maxReadRequestUnits, maxWriteRequestUnits }),
    timeToLiveAttribute: TTL_ATTRIBUTE,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: !disposable },
    // `npm run deploy` adds the deletion protection, after a deployment that succeeded.
    removalPolicy: removalOf(settings),
  })
}

export type Keys = Record<SecretName, Secret>

/** Stored data is unreadable without its keys, so the keys are kept as long as the table. */
export function createKeys(scope: Construct, settings: StageSettings): Keys {
  const createKey = (name: SecretName, description: string): Secret => {
    const secret = new Secret(scope, name, {
      description,
      // The first key. A change here would replace it; `operator rotate-key` adds the next ones.
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: removalOf(settings),
    })
    new CfnOutput(scope, secretOutput(name), { value: secret.secretArn })
    return secret
  }
  return {
    ClientKey: createKey('ClientKey', 'Keys the HMAC of client addresses, and seals cursors.'),
    PrivateKey: createKey('PrivateKey', 'Keys the tokens of links in mails, and seals webhook secrets.'),
  }
}

/**
 * For longer than the 35 days of point-in-time recovery, and only with a value. Vault and key are kept if the
 * stack is deleted, even that of a disposable stage.
 */
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
    removalPolicy: KEPT,
  })
  const vault = new BackupVault(within, 'Vault', {
    // A vault must have a name, which that of a deleted stack of the same name still has.
    backupVaultName: `backups-${Fn.select(2, Fn.split('/', Aws.STACK_ID))}`,
    encryptionKey,
    removalPolicy: KEPT,
  })
  const role = new Role(within, 'Role', {
    assumedBy: new ServicePrincipal('backup.amazonaws.com'),
    // AWS maintains what a backup and a restore need.
    managedPolicies: ['ForBackup', 'ForRestores'].map(purpose =>
      ManagedPolicy.fromAwsManagedPolicyName(`service-role/AWSBackupServiceRolePolicy${purpose}`),
    ),
  })
  const daily = new BackupPlanRule({
    ruleName: 'daily',
    scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
    deleteAfter: Duration.days(backupDays),
  })
  const plan = new BackupPlan(within, 'Plan', {
    backupPlanName: Aws.STACK_NAME,
    backupVault: vault,
    backupPlanRules: [daily],
  })
  // By its ARN, because a selection by tags depends on a setting of the account.
  plan.addSelection('Table', { resources: [BackupResource.fromArn(table.tableArn)], role })
  new CfnOutput(scope, 'BackupVault', { value: vault.backupVaultName })
  new CfnOutput(scope, 'BackupRole', { value: role.roleArn })
  return vault
}
