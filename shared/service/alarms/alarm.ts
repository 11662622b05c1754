// What an alarm declares. The stack, the dashboard, the runbook and the local run derive theirs from it.
import type { QueueName } from '../../events/message.ts'
import type { DashboardRow, MetricName, MetricStatistic } from '../../metrics/metrics.ts'

/** The value of a dimension: the name of a resource of the stack, or a text. */
export type DimensionValue =
  | { queue: QueueName }
  | { deadLettersOf: QueueName }
  | { function: string }
  | { api: 'name' | 'stage' }
  | { table: 'name' }
  | { backupVault: 'name' }
  | { text: string }

/** Without dimensions it is the metric of the whole account in this region. */
export type AwsMetric = { namespace: string; name: string; dimensions: Record<string, DimensionValue> }

/** `sumOf`: the sum of at most ten metrics, in which a missing value counts as 0. */
export type AlarmMetric = { own: MetricName } | { aws: AwsMetric } | { sumOf: AwsMetric[] }

export type Alarm = {
  /** Part of the alarm's name, after the stage. */
  id: string
  row: DashboardRow | 'account'
  metric: AlarmMetric
  statistic: MetricStatistic | 'Average'
  /** The value is bad above or below this threshold. */
  threshold: { above: number } | { below: number }
  /** The threshold is this share of a setting of the stage. */
  shareOf?: 'lambdaQuota' | 'monthlyBudgetUsd'
  /** The setting without which a stage does not have what the alarm watches. */
  onlyWith?: 'backupDays'
  periodSeconds: number
  /** The last periods that are looked at, and how many of them must be bad; by default all. */
  periods: number
  badPeriods?: number
  missing: 'notBreaching' | 'breaching' | 'ignore'
  /** Takes a release back while its part of the requests grows, so it goes on within four minutes. */
  rollsBack?: boolean
  /** The only region that has the metric. */
  region?: 'us-east-1'
  /** One sentence. */
  means: string
  /** The first command to type. STAGE, URL and TOKEN stand for the stage, its address and an admin token. */
  firstCommand: string
}

const MINUTE = 60

/** `n` minutes in a row, or `bad` of `n`. */
export function minutes(n: number, bad?: number): Pick<Alarm, 'periodSeconds' | 'periods' | 'badPeriods'> {
  return { periodSeconds: MINUTE, periods: n, ...(bad !== undefined && { badPeriods: bad }) }
}

export const HEALTH = 'curl -H "Authorization: Bearer TOKEN" "URL/api/v1/health?deep=1"'

/** Shows the lines of a function's log that the pattern matches, of the last half hour. */
export function logOf(functionName: string, pattern: string): string {
  return tail(`${functionName.replaceAll('-', '')}log`, pattern)
}

export function accessLog(pattern: string): string {
  return tail('accesslog', pattern)
}

function tail(group: string, pattern: string): string {
  const find = `aws logs describe-log-groups --log-group-name-prefix ContentService-STAGE-${group}`
  const name = `$(${find} --query 'logGroups[0].logGroupName' --output text)`
  return `aws logs tail "${name}" --since 30m --filter-pattern '${pattern}'`
}

export const ERRORS = '{ $.level = "error" }'
