// Alarms about the account: the reputation of its mails, its backups, and its bill.
import type { Alarm, AwsMetric } from './alarm.ts'

const HOUR = 3_600

function backupJobs(outcome: string): AwsMetric {
  return {
    namespace: 'AWS/Backup',
    name: `NumberOfBackupJobs${outcome}`,
    dimensions: { BackupVaultName: { backupVault: 'name' } },
  }
}

export const ACCOUNT_ALARMS: Alarm[] = [
  {
    id: 'bounces',
    row: 'account',
    metric: { aws: { namespace: 'AWS/SES', name: 'Reputation.BounceRate', dimensions: {} } },
    statistic: 'Average',
    // SES reviews accounts above 5 %, and stops their mails above 10 %.
    threshold: { above: 0.04 },
    periodSeconds: HOUR,
    periods: 1,
    missing: 'ignore',
    means: 'More than 4 % of the mails of this account bounce; SES puts it under review above 5 %.',
    firstCommand: 'aws sesv2 get-account',
  },
  {
    id: 'complaints',
    row: 'account',
    metric: { aws: { namespace: 'AWS/SES', name: 'Reputation.ComplaintRate', dimensions: {} } },
    statistic: 'Average',
    // SES reviews accounts above 0.1 %, and stops their mails above 0.5 %.
    threshold: { above: 0.0008 },
    periodSeconds: HOUR,
    periods: 1,
    missing: 'ignore',
    means:
      'More than 0.08 % of the mails of this account are marked as spam; SES puts it under review above 0.1 %.',
    firstCommand: 'aws sesv2 get-account',
  },
  {
    id: 'backups',
    row: 'account',
    // Aborted jobs were cancelled, expired ones could not begin in time or be deleted in the end.
    metric: { sumOf: ['Failed', 'Aborted', 'Expired'].map(backupJobs) },
    statistic: 'Sum',
    threshold: { above: 0 },
    onlyWith: 'backupDays',
    // The alarm goes on until the backup of the next day.
    periodSeconds: 24 * HOUR,
    periods: 1,
    missing: 'notBreaching',
    means: 'A backup of the table failed, was cancelled or expired today. Point-in-time recovery goes on.',
    firstCommand: `aws backup list-backup-jobs --query "BackupJobs[?State!='COMPLETED'].[CreationDate,ResourceName,State,StatusMessage]" --output table`,
  },
  {
    id: 'charges',
    row: 'account',
    metric: {
      aws: { namespace: 'AWS/Billing', name: 'EstimatedCharges', dimensions: { Currency: { text: 'USD' } } },
    },
    statistic: 'Maximum',
    threshold: { above: 1 },
    shareOf: 'monthlyBudgetUsd',
    // AWS updates it every six hours.
    periodSeconds: 6 * HOUR,
    periods: 1,
    missing: 'ignore',
    region: 'us-east-1',
    means: 'The bill of this month exceeds what the stage names as its most.',
    firstCommand:
      'aws ce get-cost-and-usage --time-period "Start=$(date +%Y-%m-01),End=$(date +%F)" --granularity DAILY --metrics UnblendedCost --group-by Type=DIMENSION,Key=SERVICE',
  },
]
