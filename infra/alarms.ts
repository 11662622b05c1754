// Every alarm of a stage: what it watches, what it means and the first command to type. The alarms of
// CloudWatch, their mails and the runbook come from this one declaration.
import { Aws, Duration, Fn } from 'aws-cdk-lib'
import type { IBackupVault } from 'aws-cdk-lib/aws-backup'
import {
  Alarm as CloudWatchAlarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import { QUEUE_NAMES, QUEUES } from '../shared/events/message.ts'
import { QUEUE_WORKERS } from '../shared/service/workers.ts'
import { GATEWAY, metricOf, OLDEST, ownMetric } from './dashboard.ts'
import { functionNameOf } from './functions.ts'
import { STACK_PREFIX } from './names.ts'
import type { Queues } from './queues.ts'
import type { StageSettings } from './stage-settings.ts'

type Sources = { queues: Queues; backups: IBackupVault | undefined }

type Alarm = {
  /** Part of the alarm's name, after the stage. */
  id: string
  /** Each metric of an expression costs as much as an alarm. */
  metric: (stage: Sources) => IMetric
  /** The value is bad above or below this threshold. */
  threshold: { above: number } | { below: number }
  /** The setting without which a stage does not have what the alarm watches. */
  onlyWith?: 'backupDays' | 'mailSender'
  /** The last periods that are looked at, and how many of them must be bad; by default all. */
  periods: number
  badPeriods?: number
  /** By default it is good. MISSING sends a notice, but not before there was data: a new stage has none. */
  missingData?: TreatMissingData
  /** Takes a release back while its part of the requests grows, so it goes on within four minutes. */
  rollsBack?: boolean
  /** One sentence. */
  means: string
  /** The first command to type. STAGE stands for the name of the stage. */
  firstCommand: string
}

/** Shows the lines of a log group that the pattern matches, of the last half hour. */
function logOf(name: string, pattern: string, since = '30m'): string {
  return `aws logs tail ContentService-STAGE/${name} --since ${since} --filter-pattern '${pattern}'`
}

/** A message of a FIFO queue only says that there is work: the next one does what a lost one would have. */
const WATCHED_QUEUES = QUEUE_NAMES.filter(name => !QUEUES[name].isFifo)
const WATCHED_WORKERS = Object.entries(QUEUE_WORKERS).flatMap(([name, { consumes }]) =>
  WATCHED_QUEUES.includes(consumes) ? name : [],
)

/** Of metrics with the same name. One without data would otherwise make the sum empty. */
function sumOf(label: string, metrics: IMetric[], period = Duration.minutes(1)): IMetric {
  const named = metrics.map((metric, n): [string, IMetric] => [`m${n}`, metric])
  const expression = named.map(([id]) => `FILL(${id}, 0)`).join(' + ')
  return new MathExpression({ expression, usingMetrics: Object.fromEntries(named), label, period })
}

export const ALARMS: Alarm[] = [
  {
    id: 'server-errors',
    // Of few requests, a single failure is a large part.
    metric: () =>
      new MathExpression({
        expression: 'IF(errors >= 5, errors / requests, 0)',
        usingMetrics: {
          errors: metricOf('ApiGateway', '5XXError', 'Sum', GATEWAY),
          requests: metricOf('ApiGateway', 'Count', 'Sum', GATEWAY),
        },
        label: '5XXError',
        period: Duration.minutes(1),
      }),
    threshold: { above: 0.01 },
    periods: 3,
    badPeriods: 2,
    rollsBack: true,
    means: 'At least five requests a minute, and more than 1 % of all, are answered with 5xx.',
    firstCommand: logOf('access', '{ $.status = "5*" }'),
  },
  {
    id: 'throttled',
    metric: () => metricOf('Lambda', 'Throttles', 'Sum'),
    threshold: { above: 5 },
    periods: 5,
    badPeriods: 3,
    means: 'Lambda refuses to run functions of this account: requests get 503, and queues wait.',
    firstCommand: 'aws lambda get-account-settings',
  },
  {
    id: 'limiter-open',
    metric: () => ownMetric('LimiterOpen'),
    threshold: { above: 5 },
    periods: 5,
    badPeriods: 3,
    means:
      'Requests are answered without being counted, because the table does not count them in time: it may be throttled.',
    firstCommand: logOf('public', '"limiter failed"'),
  },
  {
    id: 'sweep-missing',
    metric: () =>
      metricOf(
        'Lambda',
        'Invocations',
        'Sum',
        { FunctionName: functionNameOf('sweep') },
        Duration.minutes(5),
      ),
    threshold: { below: 1 },
    periods: 1,
    missingData: TreatMissingData.MISSING,
    means: 'The sweep has not run for five minutes: its schedule is disabled, or Lambda refuses to run it.',
    firstCommand: 'npm run operator -- doctor --stage STAGE',
  },
  {
    id: 'outbox-late',
    metric: () => ownMetric('OutboxLeft'),
    threshold: { above: 0 },
    periods: 3,
    means:
      'The sweep cannot send a message of the outbox: its queue refuses it, or the running version cannot read it.',
    firstCommand: logOf('sweep', '?"outbox rows could not be sent" ?"an outbox row cannot be read"'),
  },
  {
    id: 'deliveries-late',
    metric: ({ queues }) => queues.deliveries.metricApproximateAgeOfOldestMessage(OLDEST),
    threshold: { above: 600 },
    periods: 3,
    means: 'Deliveries wait to be sent: the worker fails, or many receivers hang.',
    firstCommand: logOf('deliver-webhooks', '"a message failed"'),
  },
  {
    id: 'index-late',
    metric: ({ queues }) => queues.index.metricApproximateAgeOfOldestMessage(OLDEST),
    threshold: { above: 600 },
    periods: 3,
    means: 'The search index is not updated, so searches read more and become slower.',
    firstCommand: logOf('index-search', '"a message failed"'),
  },
  {
    id: 'dead-letters',
    metric: ({ queues }) => {
      const name = 'ApproximateNumberOfMessagesVisible'
      const visible = WATCHED_QUEUES.flatMap(queue => {
        const deadLetters = queues[queue].deadLetterQueue?.queue
        return deadLetters ? metricOf('SQS', name, 'Maximum', { QueueName: deadLetters.queueName }) : []
      })
      return sumOf(name, visible)
    },
    threshold: { above: 0 },
    periods: 1,
    means:
      'Messages were given up: events, deliveries, mails or clean-ups. Repair the cause, then run: npm run operator -- redrive --stage STAGE',
    firstCommand: `for worker in ${WATCHED_WORKERS.join(' ')}; do ${logOf('$worker', '"a message failed"', '2h')}; done`,
  },
  {
    id: 'mail-bounces',
    // SES calculates the rate of a representative volume.
    metric: () => metricOf('SES', 'Reputation.BounceRate', 'Average', {}, Duration.hours(1)),
    // SES reviews accounts above 5 %, and stops their mails above 10 %.
    threshold: { above: 0.04 },
    onlyWith: 'mailSender',
    periods: 1,
    missingData: TreatMissingData.IGNORE,
    means: 'More than 4 % of the mails of this account bounce; SES puts it under review above 5 %.',
    firstCommand: 'aws sesv2 get-account',
  },
  {
    id: 'backups',
    // Aborted jobs were cancelled, expired ones could not begin in time or be deleted in the end.
    metric: ({ backups }) => {
      const names = ['Failed', 'Aborted', 'Expired'].map(outcome => `NumberOfBackupJobs${outcome}`)
      const vault = { BackupVaultName: backups?.backupVaultName ?? '' }
      // The alarm goes on until the backup of the next day.
      const period = Duration.days(1)
      const failed = names.map(name => metricOf('Backup', name, 'Sum', vault, period))
      return sumOf('NumberOfBackupJobsFailed', failed, period)
    },
    threshold: { above: 0 },
    onlyWith: 'backupDays',
    periods: 1,
    means: 'A backup of the table failed, was cancelled or expired today. Point-in-time recovery goes on.',
    firstCommand: `aws backup list-backup-jobs --query "BackupJobs[?State!='COMPLETED'].[CreationDate,ResourceName,State,StatusMessage]" --output table`,
  },
]

/** Returns the alarms that take a release back. */
export function createAlarms(scope: Construct, settings: StageSettings, watched: Sources): CloudWatchAlarm[] {
  const within = new Construct(scope, 'Alarms')
  const action = settings.alarmEmail && new SnsAction(createTopic(within, settings.alarmEmail))
  return ALARMS.flatMap(declared => {
    const { id, metric, threshold, onlyWith, periods, badPeriods, rollsBack } = declared
    const { missingData = TreatMissingData.NOT_BREACHING } = declared
    if (onlyWith !== undefined && settings[onlyWith] === undefined) return []
    const [limit, comparisonOperator] =
      'above' in threshold
        ? [threshold.above, ComparisonOperator.GREATER_THAN_THRESHOLD]
        : [threshold.below, ComparisonOperator.LESS_THAN_THRESHOLD]
    const alarm = new CloudWatchAlarm(within, id, {
      alarmName: `${Aws.STACK_NAME}-${id}`,
      alarmDescription: descriptionOf(declared),
      metric: metric(watched),
      threshold: limit,
      comparisonOperator,
      evaluationPeriods: periods,
      datapointsToAlarm: badPeriods,
      treatMissingData: missingData,
    })
    if (action) {
      alarm.addAlarmAction(action)
      alarm.addOkAction(action)
      if (missingData === TreatMissingData.MISSING) alarm.addInsufficientDataAction(action)
    }
    return rollsBack ? alarm : []
  })
}

/** The meaning, and the first command with the names of this stage. */
function descriptionOf({ means, firstCommand }: Alarm): string {
  return `${means}\nFirst: ${firstCommand}`
    .replaceAll(`${STACK_PREFIX}STAGE`, Aws.STACK_NAME)
    .replaceAll('STAGE', Fn.select(1, Fn.split(STACK_PREFIX, Aws.STACK_NAME)))
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
