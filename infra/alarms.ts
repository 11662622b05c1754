// Turns the declared alarms into those of CloudWatch, which write to one topic; sets a budget for the bill.
import { Aws, CfnCondition, Duration, Fn } from 'aws-cdk-lib'
import type { IBackupVault } from 'aws-cdk-lib/aws-backup'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import {
  CfnAlarm,
  Alarm as CloudWatchAlarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import { METRICS, type MetricName } from '../shared/metrics/metrics.ts'
import { ALARMS, type Alarm, type AwsMetric, type DimensionValue } from '../shared/service/alarms.ts'
import { GATEWAY_STAGE } from './api.ts'
import { functionNameOf } from './functions.ts'
import { STACK_PREFIX } from './names.ts'
import type { Queues } from './queues.ts'
import type { StageSettings } from './settings.ts'

export type Watched = { table: ITableV2; queues: Queues; backups: IBackupVault | undefined; baseUrl: string }

type Settings = Pick<StageSettings, 'alarmEmail' | 'monthlyBudgetUsd' | 'lambdaQuota' | 'backupDays'>

/** Also used by the dashboard. @param only the declaration of what is watched. */
export function metricOf({ metric, statistic, periodSeconds }: Alarm, watched: Watched): IMetric {
  const period = Duration.seconds(periodSeconds)
  const ofAws = ({ namespace, name, dimensions }: AwsMetric) =>
    new Metric({
      namespace,
      metricName: name,
      dimensionsMap: Object.fromEntries(
        Object.entries(dimensions).map(([key, value]) => [key, nameOf(value, watched)]),
      ),
      statistic,
      period,
    })
  if ('own' in metric) return ownMetric(metric.own, period)
  if ('aws' in metric) return ofAws(metric.aws)
  const parts = metric.sumOf.map((part, n) => [`m${n}`, ofAws(part)] as const)
  return new MathExpression({
    // A metric without data would otherwise make the sum empty.
    expression: parts.map(([id]) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(parts),
    label: metric.sumOf.map(({ name }) => name)[0] ?? '',
    period,
  })
}

export function ownMetric(name: MetricName, period: Duration): Metric {
  return new Metric({
    namespace: Aws.STACK_NAME,
    metricName: name,
    statistic: METRICS[name].statistic,
    period,
  })
}

function nameOf(value: DimensionValue, { table, queues, backups }: Watched): string {
  if ('queue' in value) return queues[value.queue].queueName
  if ('deadLettersOf' in value) return queues[value.deadLettersOf].deadLetterQueue?.queue.queueName ?? ''
  if ('function' in value) return functionNameOf(value.function)
  if ('api' in value) return value.api === 'name' ? Aws.STACK_NAME : GATEWAY_STAGE
  if ('backupVault' in value) return backups?.backupVaultName ?? ''
  return 'table' in value ? table.tableName : value.text
}

/** Undefined for what the stage does not have, or a share of it. */
export function thresholdOf({ threshold, shareOf, onlyWith }: Alarm, settings: Settings): number | undefined {
  if (onlyWith !== undefined && settings[onlyWith] === undefined) return undefined
  const share = 'above' in threshold ? threshold.above : threshold.below
  if (shareOf === undefined) return share
  const whole = settings[shareOf]
  return whole === undefined ? undefined : share * whole
}

const MISSING = {
  notBreaching: TreatMissingData.NOT_BREACHING,
  breaching: TreatMissingData.BREACHING,
  ignore: TreatMissingData.IGNORE,
}

/** Returns the alarms by their ids. */
export function createAlarms(scope: Construct, settings: Settings, watched: Watched) {
  const within = new Construct(scope, 'Alarms')
  const ofRegion = new Construct(scope, 'AlarmsOfRegion')
  const topic = settings.alarmEmail ? createTopic(within, settings.alarmEmail) : undefined
  const alarms: Record<string, CloudWatchAlarm> = {}
  for (const declared of ALARMS) {
    const threshold = thresholdOf(declared, settings)
    if (threshold === undefined) continue
    const alarm = new CloudWatchAlarm(declared.region ? ofRegion : within, declared.id, {
      alarmName: `${Aws.STACK_NAME}-${declared.id}`,
      alarmDescription: descriptionOf(declared, watched.baseUrl),
      metric: metricOf(declared, watched),
      threshold,
      comparisonOperator:
        'above' in declared.threshold
          ? ComparisonOperator.GREATER_THAN_THRESHOLD
          : ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: declared.periods,
      datapointsToAlarm: declared.badPeriods,
      treatMissingData: MISSING[declared.missing],
    })
    if (topic) alarm.addAlarmAction(new SnsAction(topic))
    if (declared.region) onlyIn(declared.region, alarm)
    alarms[declared.id] = alarm
  }
  return alarms
}

/** Another region does not have the metric, and its alarm would never have data. */
function onlyIn(region: string, alarm: CloudWatchAlarm): void {
  const { defaultChild } = alarm.node
  if (!(defaultChild instanceof CfnAlarm)) return
  defaultChild.cfnOptions.condition = new CfnCondition(alarm, 'IsInRegion', {
    expression: Fn.conditionEquals(Aws.REGION, region),
  })
}

/** The meaning, and the first command with the names of this stage. */
function descriptionOf({ means, firstCommand }: Alarm, baseUrl: string): string {
  const text = `${means}\nFirst: ${firstCommand}`
    .replaceAll(`${STACK_PREFIX}STAGE`, `\${AWS::StackName}`)
    .replaceAll('STAGE', `\${Stage}`)
    .replaceAll('URL', `\${Url}`)
  const stage = Fn.select(1, Fn.split(STACK_PREFIX, Aws.STACK_NAME))
  if (!text.includes('${')) return text
  const values = Object.entries({ Stage: stage, Url: baseUrl })
  const used = values.filter(([name]) => text.includes(`\${${name}}`))
  return Fn.sub(text, used.length > 0 ? Object.fromEntries(used) : undefined)
}

/** CloudWatch cannot use the key that SNS has by default, so the topic has its own. */
function createTopic(scope: Construct, email: string): Topic {
  const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com')
  const masterKey = new Key(scope, 'Key', {
    description: 'Encrypts the notices of alarms.',
    enableKeyRotation: true,
  })
  masterKey.grantEncryptDecrypt(cloudWatch)
  const topic = new Topic(scope, 'Topic', { masterKey, enforceSSL: true })
  // A policy of its own replaces the default one, which allows the whole account.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [cloudWatch],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  )
  topic.addSubscription(new EmailSubscription(email))
  return topic
}

/** Of the whole account, which AWS compares with its bill several times a day. */
export function createBudget(scope: Construct, { alarmEmail, monthlyBudgetUsd }: Settings): void {
  if (alarmEmail === undefined || monthlyBudgetUsd === undefined) return
  const notify = (notificationType: string, threshold: number) => ({
    notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold },
    subscribers: [{ subscriptionType: 'EMAIL', address: alarmEmail }],
  })
  new CfnBudget(scope, 'Budget', {
    budget: {
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: monthlyBudgetUsd, unit: 'USD' },
    },
    notificationsWithSubscribers: [notify('ACTUAL', 50), notify('ACTUAL', 100), notify('FORECASTED', 100)],
  })
}
