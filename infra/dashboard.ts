// The dashboard of a stage, one page of six graphs; the metrics that it and the alarms name; the budget.
import { Aws, Duration } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { Dashboard, GraphWidget, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import type { Construct } from 'constructs'
import { QUEUE_NAMES } from '../shared/events/message.ts'
import { type Graph, METRICS, type MetricName } from '../shared/metrics/metrics.ts'
import { GATEWAY_STAGE } from './api.ts'
import type { Queues } from './queues.ts'
import type { StageSettings } from './stage-settings.ts'

/** The dimensions of API Gateway's metrics. */
export const GATEWAY = { ApiName: Aws.STACK_NAME, Stage: GATEWAY_STAGE }

/** A metric of AWS: without dimensions that of the whole account in this region. */
export function metricOf(
  service: string,
  metricName: string,
  statistic: string,
  dimensionsMap: Record<string, string> = {},
  period = Duration.minutes(1),
): IMetric {
  return new Metric({ namespace: `AWS/${service}`, metricName, statistic, dimensionsMap, period })
}

/** A metric that the functions count. */
export function ownMetric(metricName: MetricName): IMetric {
  const statistic = metricName in METRICS.waiting ? 'Maximum' : 'Sum'
  return new Metric({ namespace: Aws.STACK_NAME, metricName, statistic, period: Duration.minutes(1) })
}

function ownMetrics(graph: Graph): IMetric[] {
  const names = Object.keys(METRICS[graph]) as MetricName[]
  return names.map(ownMetric)
}

/** The age of the oldest message of a queue. */
export const OLDEST = { statistic: 'Maximum', period: Duration.minutes(1) }

/** One page of six graphs, of AWS's metrics and those that the functions count. */
export function createDashboard(scope: Construct, table: ITableV2, queues: Queues): void {
  const ofTable = { TableName: table.tableName }
  const graphs: Record<string, IMetric[]> = {
    Requests: ['Count', '4XXError', '5XXError'].map(name => metricOf('ApiGateway', name, 'Sum', GATEWAY)),
    'Milliseconds to the answer': ['p50', 'p99'].map(part =>
      metricOf('ApiGateway', 'Latency', part, GATEWAY),
    ),
    'Functions of the account': [
      metricOf('Lambda', 'ConcurrentExecutions', 'Maximum'),
      metricOf('Lambda', 'Throttles', 'Sum'),
      metricOf('Lambda', 'Errors', 'Sum'),
    ],
    Table: [
      metricOf('DynamoDB', 'ConsumedReadCapacityUnits', 'Sum', ofTable),
      metricOf('DynamoDB', 'ConsumedWriteCapacityUnits', 'Sum', ofTable),
      ...ownMetrics('table'),
    ],
    'Waiting: seconds of the oldest message, and counts': [
      ...QUEUE_NAMES.map(name =>
        queues[name].metricApproximateAgeOfOldestMessage({ ...OLDEST, label: name }),
      ),
      ...ownMetrics('waiting'),
    ],
    'Deliveries and mails': ownMetrics('sent'),
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

/** The budget of the whole account, which AWS compares with its bill several times a day. */
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
