// Turns the declared alarms into those of CloudWatch, which write to one topic; a dashboard, and a budget.
import { Aws, Duration, Fn } from 'aws-cdk-lib'
import type { IBackupVault } from 'aws-cdk-lib/aws-backup'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import {
  Alarm as CloudWatchAlarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import { QUEUE_NAMES } from '../shared/events/message.ts'
import { METRICS, type Metric as OwnMetric } from '../shared/metrics/metrics.ts'
import { ALARMS, type Alarm, type DimensionValue, type WatchedMetric } from '../shared/service/alarms.ts'
import { GATEWAY_STAGE } from './api.ts'
import { functionNameOf } from './functions.ts'
import { STACK_PREFIX } from './names.ts'
import type { Queues } from './queues.ts'
import type { StageSettings } from './settings.ts'

type Watched = { queues: Queues; backups: IBackupVault | undefined; baseUrl: string }

function metricOf({ metric, statistic, periodSeconds }: Alarm, watched: Watched): IMetric {
  const period = Duration.seconds(periodSeconds)
  const plain = ({ namespace = Aws.STACK_NAME, name, dimensions = {} }: WatchedMetric): Metric => {
    const names = Object.entries(dimensions).map(([key, value]) => [key, nameOf(value, watched)])
    return new Metric({
      namespace,
      metricName: name,
      dimensionsMap: Object.fromEntries(names),
      statistic,
      period,
    })
  }
  if ('name' in metric) return plain(metric)
  const parts = Object.entries(metric.of).map(([id, part]) => [id, plain(part)])
  return new MathExpression({
    expression: metric.math,
    usingMetrics: Object.fromEntries(parts),
    label: Object.values(metric.of)[0]?.name ?? '',
    period,
  })
}

function nameOf(value: DimensionValue, { queues, backups }: Watched): string {
  if ('queue' in value) return queues[value.queue].queueName
  if ('deadLettersOf' in value) return queues[value.deadLettersOf].deadLetterQueue?.queue.queueName ?? ''
  if ('function' in value) return functionNameOf(value.function)
  if ('api' in value) return value.api === 'name' ? Aws.STACK_NAME : GATEWAY_STAGE
  return backups?.backupVaultName ?? ''
}

const MISSING = {
  good: TreatMissingData.NOT_BREACHING,
  notice: TreatMissingData.MISSING,
  asBefore: TreatMissingData.IGNORE,
}

/** Returns the alarms by their ids. */
export function createAlarms(scope: Construct, settings: StageSettings, watched: Watched) {
  const within = new Construct(scope, 'Alarms')
  const action = settings.alarmEmail && new SnsAction(createTopic(within, settings.alarmEmail))
  const alarms: Record<string, CloudWatchAlarm> = {}
  for (const declared of ALARMS) {
    const { id, threshold, onlyWith, periods, badPeriods, missing } = declared
    if (onlyWith !== undefined && settings[onlyWith] === undefined) continue
    const alarm = new CloudWatchAlarm(within, id, {
      alarmName: `${Aws.STACK_NAME}-${id}`,
      alarmDescription: descriptionOf(declared, watched.baseUrl),
      metric: metricOf(declared, watched),
      threshold: 'above' in threshold ? threshold.above : threshold.below,
      comparisonOperator:
        'above' in threshold
          ? ComparisonOperator.GREATER_THAN_THRESHOLD
          : ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: badPeriods,
      treatMissingData: MISSING[missing],
    })
    alarms[id] = alarm
    if (!action) continue
    alarm.addAlarmAction(action)
    alarm.addOkAction(action)
    if (missing === 'notice') alarm.addInsufficientDataAction(action)
  }
  return alarms
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

/** Without a key: CloudWatch cannot use that of SNS, and a notice names no reader and no content. */
function createTopic(scope: Construct, email: string): Topic {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true })
  // A policy of its own replaces the default one, which allows the whole account.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  )
  topic.addSubscription(new EmailSubscription(email))
  return topic
}

/** Of the dashboard. */
const MINUTE = Duration.minutes(1)

function own(graph: OwnMetric['graph']): IMetric[] {
  return Object.entries(METRICS)
    .filter(([, metric]) => metric.graph === graph)
    .map(
      ([metricName, { statistic }]) =>
        new Metric({ namespace: Aws.STACK_NAME, metricName, statistic, period: MINUTE }),
    )
}

function of(namespace: string, metricName: string, statistic: string, dimensionsMap = {}): IMetric {
  return new Metric({ namespace: `AWS/${namespace}`, metricName, statistic, dimensionsMap, period: MINUTE })
}

/** One page of six graphs, of AWS's metrics and those that the functions count. */
export function createDashboard(scope: Construct, table: ITableV2, queues: Queues): void {
  const gateway = { ApiName: Aws.STACK_NAME, Stage: GATEWAY_STAGE }
  const ofTable = { TableName: table.tableName }
  const graphs: Record<string, IMetric[]> = {
    Requests: ['Count', '4XXError', '5XXError'].map(name => of('ApiGateway', name, 'Sum', gateway)),
    'Milliseconds to the answer': ['p50', 'p99'].map(part => of('ApiGateway', 'Latency', part, gateway)),
    'Functions of the account': [
      of('Lambda', 'ConcurrentExecutions', 'Maximum'),
      of('Lambda', 'Throttles', 'Sum'),
      of('Lambda', 'Errors', 'Sum'),
    ],
    Table: [
      of('DynamoDB', 'ConsumedReadCapacityUnits', 'Sum', ofTable),
      of('DynamoDB', 'ConsumedWriteCapacityUnits', 'Sum', ofTable),
      ...own('table'),
    ],
    'Waiting: seconds of the oldest message, and counts': [
      ...QUEUE_NAMES.map(name =>
        queues[name].metricApproximateAgeOfOldestMessage({
          label: name,
          statistic: 'Maximum',
          period: MINUTE,
        }),
      ),
      ...own('waiting'),
    ],
    'Deliveries and mails': own('sent'),
  }
  const widgets = Object.entries(graphs).map(
    ([title, left]) => new GraphWidget({ title, left, width: 12, height: 6 }),
  )
  new Dashboard(scope, 'Dashboard', {
    dashboardName: Aws.STACK_NAME,
    defaultInterval: Duration.hours(3),
    widgets: [widgets.slice(0, 2), widgets.slice(2, 4), widgets.slice(4)],
  })
}

/** Of the whole account, which AWS compares with its bill several times a day. */
export function createBudget(scope: Construct, { alarmEmail, monthlyBudgetUsd }: StageSettings): void {
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
