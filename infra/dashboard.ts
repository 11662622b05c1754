// Creates the dashboard: one page of six graphs, of AWS's metrics and those that the functions count.
import { Aws, Duration } from 'aws-cdk-lib'
import { Dashboard, GraphWidget, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import type { Construct } from 'constructs'
import { QUEUE_NAMES } from '../shared/events/message.ts'
import { METRICS, type Metric as OwnMetric } from '../shared/metrics/metrics.ts'
import { GATEWAY_STAGE } from './api.ts'
import type { Queues } from './queues.ts'

const period = Duration.minutes(1)

function own(graph: OwnMetric['graph']): IMetric[] {
  return Object.entries(METRICS)
    .filter(([, metric]) => metric.graph === graph)
    .map(
      ([metricName, { statistic }]) =>
        new Metric({ namespace: Aws.STACK_NAME, metricName, statistic, period }),
    )
}

function of(namespace: string, metricName: string, statistic: string, dimensionsMap = {}): IMetric {
  return new Metric({ namespace: `AWS/${namespace}`, metricName, statistic, dimensionsMap, period })
}

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
        queues[name].metricApproximateAgeOfOldestMessage({ label: name, statistic: 'Maximum', period }),
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
