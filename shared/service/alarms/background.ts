// Alarms about what happens after a request: queues, the sweep, the outbox, schedules, the search index.
import { QUEUE_NAMES, type QueueName } from '../../events/message.ts'
import { QUEUE_WORKERS } from '../workers.ts'
import { type Alarm, type AwsMetric, ERRORS, HEALTH, logOf, minutes } from './alarm.ts'

type OfQueue = { row: Alarm['row']; maxAgeSeconds: number; waits: string; dead: string }

/** A message that fails is retried for more than an hour, so its age says when to look. */
const OF_QUEUE: Record<QueueName, OfQueue> = {
  events: {
    row: 'subscribers',
    maxAgeSeconds: 300,
    waits: 'Events wait to be fanned out, so webhooks and scheduled posts are late.',
    dead: 'Events were never fanned out to their subscriptions',
  },
  deliveries: {
    row: 'subscribers',
    maxAgeSeconds: 600,
    waits: 'Deliveries wait to be sent: the worker fails, or many receivers hang.',
    dead: 'Deliveries were never sent',
  },
  index: {
    row: 'readers',
    maxAgeSeconds: 600,
    waits: 'The search index is not updated, so searches read more and become slower.',
    dead: 'Messages for the worker of the search index were given up',
  },
  jobs: {
    row: 'writers',
    maxAgeSeconds: 900,
    waits: 'Mails and work that outlives its request wait: SES slows mails down, or the worker fails.',
    dead: 'Mails were never sent, or work that outlives its request was given up',
  },
}

function workerOf(queue: QueueName): string {
  return Object.entries(QUEUE_WORKERS).find(([, { consumes }]) => consumes === queue)?.[0] ?? queue
}

function ofSweep(name: string): AwsMetric {
  return { namespace: 'AWS/Lambda', name, dimensions: { FunctionName: { function: 'sweep' } } }
}

function alarmsOfQueue(queue: QueueName): Alarm[] {
  const { row, maxAgeSeconds, waits, dead } = OF_QUEUE[queue]
  const sqs = (name: string, value: { queue: QueueName } | { deadLettersOf: QueueName }) => ({
    aws: { namespace: 'AWS/SQS', name, dimensions: { QueueName: value } },
  })
  return [
    {
      id: `${queue}-late`,
      row,
      metric: sqs('ApproximateAgeOfOldestMessage', { queue }),
      statistic: 'Maximum',
      threshold: { above: maxAgeSeconds },
      ...minutes(3),
      missing: 'notBreaching',
      means: waits,
      firstCommand: logOf(workerOf(queue), '"a message failed"'),
    },
    {
      id: `${queue}-dead-letters`,
      row,
      metric: sqs('ApproximateNumberOfMessagesVisible', { deadLettersOf: queue }),
      statistic: 'Maximum',
      threshold: { above: 0 },
      ...minutes(1),
      missing: 'notBreaching',
      means: `${dead}: repair the cause, then run: npm run operator -- redrive ${queue} --stage STAGE`,
      firstCommand: logOf(workerOf(queue), ERRORS),
    },
  ]
}

export const BACKGROUND_ALARMS: Alarm[] = [
  ...QUEUE_NAMES.flatMap(alarmsOfQueue),
  {
    id: 'sweep-fails',
    row: 'subscribers',
    metric: { aws: ofSweep('Errors') },
    statistic: 'Sum',
    threshold: { above: 0 },
    ...minutes(5, 3),
    missing: 'notBreaching',
    means: 'A part of the sweep fails, so what requests and workers left behind is not finished.',
    firstCommand: logOf('sweep', ERRORS),
  },
  {
    id: 'sweep-missing',
    row: 'subscribers',
    metric: { aws: ofSweep('Invocations') },
    statistic: 'Sum',
    threshold: { below: 1 },
    periodSeconds: 300,
    periods: 1,
    missing: 'breaching',
    means: 'The sweep has not run for five minutes: its schedule is disabled, or Lambda refuses to run it.',
    firstCommand: HEALTH,
  },
  {
    id: 'outbox-left',
    row: 'subscribers',
    metric: { own: 'OutboxLeft' },
    statistic: 'Maximum',
    threshold: { above: 0 },
    ...minutes(3),
    missing: 'notBreaching',
    means:
      'The sweep cannot send a message of the outbox: its queue refuses it, or the running version cannot read it.',
    firstCommand: logOf('sweep', '?"outbox rows could not be sent" ?"an outbox row cannot be read"'),
  },
  {
    id: 'schedules-late',
    row: 'writers',
    metric: { own: 'SchedulesLateSeconds' },
    statistic: 'Maximum',
    threshold: { above: 150 },
    ...minutes(3),
    missing: 'notBreaching',
    means: 'A scheduled post is visible, but its event is late: the events queue or its worker stands still.',
    firstCommand: logOf('fan-out', '"a message failed"'),
  },
  {
    id: 'index-lag',
    row: 'readers',
    metric: { own: 'IndexPending' },
    statistic: 'Maximum',
    threshold: { above: 1_000 },
    ...minutes(5),
    missing: 'notBreaching',
    means: 'More than 1,000 changed posts are not merged into the search index, so searches become slower.',
    firstCommand: logOf('index-search', '"a message failed"'),
  },
]
