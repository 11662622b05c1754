// Declares every alarm of a stage, once: the stack, the mails, the dashboard and the runbook derive from it.
import { QUEUE_NAMES, QUEUES, type QueueName } from '../events/message.ts'
import type { MetricName } from '../metrics/metrics.ts'
import { QUEUE_WORKERS } from './workers.ts'

/** The value of a dimension: the name of a resource of the stack, or a text. */
export type DimensionValue =
  | { queue: QueueName }
  | { deadLettersOf: QueueName }
  | { function: string }
  | { api: 'name' | 'stage' }
  | { backupVault: 'name' }

/** Of the functions themselves, or of AWS: without dimensions that of the whole account in this region. */
export type WatchedMetric =
  | { name: MetricName; namespace?: undefined; dimensions?: undefined }
  | { name: string; namespace: string; dimensions?: Record<string, DimensionValue> }

/** `math`: an expression over metrics by their names in it. Each metric costs as much as an alarm. */
export type AlarmMetric = WatchedMetric | { math: string; of: Record<string, WatchedMetric> }

export type Alarm = {
  /** Part of the alarm's name, after the stage. */
  id: string
  metric: AlarmMetric
  statistic: 'Maximum' | 'Sum' | 'Average'
  /** The value is bad above or below this threshold. */
  threshold: { above: number } | { below: number }
  /** The setting without which a stage does not have what the alarm watches. */
  onlyWith?: 'backupDays' | 'mailSender'
  periodSeconds: number
  /** The last periods that are looked at, and how many of them must be bad; by default all. */
  periods: number
  badPeriods?: number
  /** `notice`: missing data alone sends the notice, but not before there was data: a new stage has none. */
  missing: 'good' | 'notice' | 'asBefore'
  /** Takes a release back while its part of the requests grows, so it goes on within four minutes. */
  rollsBack?: boolean
  /** One sentence. */
  means: string
  /** The first command to type. STAGE, URL and TOKEN stand for the stage, its address and an admin token. */
  firstCommand: string
}

const MINUTE = 60
const HOUR = 3_600

/** `n` minutes in a row, or `bad` of `n`. */
function minutes(n: number, bad?: number): Pick<Alarm, 'periodSeconds' | 'periods' | 'badPeriods'> {
  return { periodSeconds: MINUTE, periods: n, ...(bad !== undefined && { badPeriods: bad }) }
}

const HEALTH = 'curl -H "Authorization: Bearer TOKEN" "URL/api/v1/health?deep=1"'

/** Shows the lines of a log group that the pattern matches, of the last half hour. */
function logOf(name: string, pattern: string): string {
  return `aws logs tail ContentService-STAGE/${name} --since 30m --filter-pattern '${pattern}'`
}

function ofGateway(name: string): WatchedMetric {
  const dimensions = { ApiName: { api: 'name' }, Stage: { api: 'stage' } } as const
  return { namespace: 'AWS/ApiGateway', name, dimensions }
}

function ofQueue(name: string, queue: DimensionValue): WatchedMetric {
  return { namespace: 'AWS/SQS', name, dimensions: { QueueName: queue } }
}

function ageOf(queue: QueueName): AlarmMetric {
  return ofQueue('ApproximateAgeOfOldestMessage', { queue })
}

/** A message of a FIFO queue only says that there is work: the next one does what a lost one would have. */
const WATCHED_QUEUES = QUEUE_NAMES.filter(name => !QUEUES[name].isFifo)

function workersOf(queues: QueueName[]): string[] {
  return Object.entries(QUEUE_WORKERS).flatMap(([name, { consumes }]) =>
    queues.includes(consumes) ? name : [],
  )
}

function sumOf(metrics: WatchedMetric[]): AlarmMetric {
  const named = metrics.map((metric, n): [string, WatchedMetric] => [`m${n}`, metric])
  // A metric without data would otherwise make the sum empty.
  return { math: named.map(([id]) => `FILL(${id}, 0)`).join(' + '), of: Object.fromEntries(named) }
}

export const ALARMS: Alarm[] = [
  {
    id: 'server-errors',
    // Of few requests, a single failure is a large part.
    metric: {
      math: 'IF(errors >= 5, errors / requests, 0)',
      of: { errors: ofGateway('5XXError'), requests: ofGateway('Count') },
    },
    statistic: 'Sum',
    threshold: { above: 0.01 },
    ...minutes(3, 2),
    rollsBack: true,
    missing: 'good',
    means: 'At least five requests a minute, and more than 1 % of all, are answered with 5xx.',
    firstCommand: logOf('access', '{ $.status = "5*" }'),
  },
  {
    id: 'throttled',
    metric: { namespace: 'AWS/Lambda', name: 'Throttles' },
    statistic: 'Sum',
    threshold: { above: 5 },
    ...minutes(5, 3),
    missing: 'good',
    means: 'Lambda refuses to run functions of this account: requests get 503, and queues wait.',
    firstCommand: 'aws lambda get-account-settings',
  },
  {
    id: 'limiter-open',
    metric: { name: 'LimiterOpen' },
    statistic: 'Sum',
    threshold: { above: 5 },
    ...minutes(5, 3),
    missing: 'good',
    means:
      'Requests are answered without being counted, because the table does not count them in time: it may be throttled.',
    firstCommand: HEALTH,
  },
  {
    id: 'sweep-missing',
    metric: {
      namespace: 'AWS/Lambda',
      name: 'Invocations',
      dimensions: { FunctionName: { function: 'sweep' } },
    },
    statistic: 'Sum',
    threshold: { below: 1 },
    periodSeconds: 5 * MINUTE,
    periods: 1,
    missing: 'notice',
    means: 'The sweep has not run for five minutes: its schedule is disabled, or Lambda refuses to run it.',
    firstCommand: HEALTH,
  },
  {
    id: 'outbox-late',
    metric: { name: 'OutboxLeft' },
    statistic: 'Maximum',
    threshold: { above: 0 },
    ...minutes(3),
    missing: 'good',
    means:
      'The sweep cannot send a message of the outbox: its queue refuses it, or the running version cannot read it.',
    firstCommand: logOf('sweep', '?"outbox rows could not be sent" ?"an outbox row cannot be read"'),
  },
  {
    id: 'deliveries-late',
    metric: ageOf('deliveries'),
    statistic: 'Maximum',
    threshold: { above: 600 },
    ...minutes(3),
    missing: 'good',
    means: 'Deliveries wait to be sent: the worker fails, or many receivers hang.',
    firstCommand: logOf('deliver-webhooks', '"a message failed"'),
  },
  {
    id: 'index-late',
    metric: ageOf('index'),
    statistic: 'Maximum',
    threshold: { above: 600 },
    ...minutes(3),
    missing: 'good',
    means: 'The search index is not updated, so searches read more and become slower.',
    firstCommand: logOf('index-search', '"a message failed"'),
  },
  {
    id: 'dead-letters',
    metric: sumOf(
      WATCHED_QUEUES.map(queue => ofQueue('ApproximateNumberOfMessagesVisible', { deadLettersOf: queue })),
    ),
    statistic: 'Maximum',
    threshold: { above: 0 },
    ...minutes(1),
    missing: 'good',
    means:
      'Messages were given up: events, deliveries, mails or clean-ups. Repair the cause, then run: npm run operator -- redrive --stage STAGE',
    firstCommand: `for worker in ${workersOf(WATCHED_QUEUES).join(' ')}; do ${logOf('$worker', '"a message failed"').replace('30m', '2h')}; done`,
  },
  {
    id: 'mail-bounces',
    // SES calculates the rate of a representative volume.
    metric: { namespace: 'AWS/SES', name: 'Reputation.BounceRate' },
    statistic: 'Average',
    // SES reviews accounts above 5 %, and stops their mails above 10 %.
    threshold: { above: 0.04 },
    onlyWith: 'mailSender',
    periodSeconds: HOUR,
    periods: 1,
    missing: 'asBefore',
    means: 'More than 4 % of the mails of this account bounce; SES puts it under review above 5 %.',
    firstCommand: 'aws sesv2 get-account',
  },
  {
    id: 'backups',
    // Aborted jobs were cancelled, expired ones could not begin in time or be deleted in the end.
    metric: sumOf(
      ['Failed', 'Aborted', 'Expired'].map(outcome => ({
        namespace: 'AWS/Backup',
        name: `NumberOfBackupJobs${outcome}`,
        dimensions: { BackupVaultName: { backupVault: 'name' } },
      })),
    ),
    statistic: 'Sum',
    threshold: { above: 0 },
    onlyWith: 'backupDays',
    // The alarm goes on until the backup of the next day.
    periodSeconds: 24 * HOUR,
    periods: 1,
    missing: 'good',
    means: 'A backup of the table failed, was cancelled or expired today. Point-in-time recovery goes on.',
    firstCommand: `aws backup list-backup-jobs --query "BackupJobs[?State!='COMPLETED'].[CreationDate,ResourceName,State,StatusMessage]" --output table`,
  },
]
