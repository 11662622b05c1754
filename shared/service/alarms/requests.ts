// Alarms about requests: failures, slowness, the limiter, and the capacity of functions and table.
import { type Alarm, type AwsMetric, accessLog, HEALTH, minutes } from './alarm.ts'

function ofTable(name: string, operation?: string): AwsMetric {
  const dimensions = { TableName: { table: 'name' as const } }
  return {
    namespace: 'AWS/DynamoDB',
    name,
    dimensions: operation === undefined ? dimensions : { ...dimensions, Operation: { text: operation } },
  }
}

const OPERATIONS = [
  ...['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
  ...['BatchWriteItem', 'TransactGetItems', 'TransactWriteItems'],
]

export const REQUEST_ALARMS: Alarm[] = [
  {
    id: 'server-errors',
    row: 'readers',
    metric: {
      aws: {
        namespace: 'AWS/ApiGateway',
        name: '5XXError',
        dimensions: { ApiName: { api: 'name' }, Stage: { api: 'stage' } },
      },
    },
    // The average of 0 for each request without and 1 for each with such an answer.
    statistic: 'Average',
    threshold: { above: 0.01 },
    ...minutes(3, 2),
    rollsBack: true,
    missing: 'notBreaching',
    means: 'More than 1 % of all requests are answered with 5xx, unless the site is in maintenance.',
    firstCommand: accessLog('{ $.status = "5*" }'),
  },
  {
    id: 'slow-reads',
    row: 'readers',
    metric: { own: 'ReadMs' },
    statistic: 'p99',
    threshold: { above: 2_000 },
    ...minutes(3, 2),
    rollsBack: true,
    missing: 'notBreaching',
    means: 'One read in a hundred takes longer than 2 s: the table is slow, or functions lack CPU.',
    firstCommand: HEALTH,
  },
  {
    id: 'slow-writes',
    row: 'writers',
    metric: { own: 'WriteMs' },
    statistic: 'p99',
    threshold: { above: 5_000 },
    ...minutes(3, 2),
    rollsBack: true,
    missing: 'notBreaching',
    means:
      'One write in a hundred takes longer than 5 s: the table is slow, or writes meet the same records.',
    firstCommand: HEALTH,
  },
  {
    id: 'limiter-open',
    row: 'readers',
    metric: { own: 'LimiterOpen' },
    statistic: 'Sum',
    threshold: { above: 0 },
    ...minutes(5, 3),
    missing: 'notBreaching',
    means: 'Requests are answered without being counted, because the table does not count them in time.',
    firstCommand: HEALTH,
  },
  {
    id: 'functions-throttled',
    row: 'readers',
    metric: { aws: { namespace: 'AWS/Lambda', name: 'Throttles', dimensions: {} } },
    statistic: 'Sum',
    threshold: { above: 0 },
    ...minutes(5, 3),
    missing: 'notBreaching',
    means: 'Lambda refuses to run functions of this account: requests get 503, and queues wait.',
    firstCommand: 'aws lambda get-account-settings',
  },
  {
    id: 'concurrency',
    row: 'readers',
    metric: { aws: { namespace: 'AWS/Lambda', name: 'ConcurrentExecutions', dimensions: {} } },
    statistic: 'Maximum',
    threshold: { above: 0.7 },
    shareOf: 'lambdaQuota',
    ...minutes(5, 3),
    missing: 'notBreaching',
    means: 'Functions of this account take more than 70 % of its Lambda quota, so requests may soon get 503.',
    firstCommand: 'aws lambda get-account-settings',
  },
  {
    id: 'table-throttled',
    row: 'writers',
    metric: { sumOf: [ofTable('ReadThrottleEvents'), ofTable('WriteThrottleEvents')] },
    statistic: 'Sum',
    threshold: { above: 10 },
    ...minutes(5, 3),
    missing: 'notBreaching',
    means:
      'DynamoDB throttles the table: one list or client is too busy, or the ceiling of its units is reached.',
    firstCommand: 'npm run operator -- counts --stage STAGE',
  },
  {
    id: 'table-fails',
    row: 'writers',
    metric: { sumOf: OPERATIONS.map(operation => ofTable('SystemErrors', operation)) },
    statistic: 'Sum',
    threshold: { above: 10 },
    ...minutes(5, 3),
    missing: 'notBreaching',
    means:
      'DynamoDB answers calls of the table with errors of its own; they are retried for as long as a request may wait.',
    firstCommand: HEALTH,
  },
]
