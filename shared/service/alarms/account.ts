// Alarms about the account: the reputation of its mails, and its bill.
import type { Alarm } from './alarm.ts'

const HOUR = 3_600

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
