// The metrics that the functions count, in the namespace of their stack. None has a dimension, so that their
// number and price do not grow with users.

export type MetricUnit = 'Count' | 'Milliseconds' | 'Seconds'
export type MetricStatistic = 'Maximum' | 'Sum' | 'p99'
/** The row of the dashboard: what readers, writers or subscribers notice. */
export type DashboardRow = 'readers' | 'writers' | 'subscribers'

export type Metric = {
  unit: MetricUnit
  statistic: MetricStatistic
  /** A function by its name; `requests`: all that answer requests; `all`: these and the workers. */
  emittedBy: 'requests' | 'all' | 'sweep' | 'deliver-webhooks' | 'jobs'
  row: DashboardRow
  text: string
}

export const METRICS = {
  ReadMs: {
    unit: 'Milliseconds',
    statistic: 'p99',
    emittedBy: 'requests',
    row: 'readers',
    text: 'Time that a function took for a GET or HEAD request.',
  },
  ColdStarts: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'all',
    row: 'readers',
    text: 'First runs of a function in a new execution environment.',
  },
  LimiterOpen: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'requests',
    row: 'readers',
    text: 'Requests that were answered although the limiter could not count them.',
  },
  IndexPending: {
    unit: 'Count',
    statistic: 'Maximum',
    emittedBy: 'sweep',
    row: 'readers',
    text: 'Posts whose change is not merged into the search index yet.',
  },
  WriteMs: {
    unit: 'Milliseconds',
    statistic: 'p99',
    emittedBy: 'requests',
    row: 'writers',
    text: 'Time that a function took for a POST, PUT, PATCH or DELETE request.',
  },
  Conflicts: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'all',
    row: 'writers',
    text: 'Writes that started again because another one changed the same records.',
  },
  Retries: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'all',
    row: 'writers',
    text: 'Calls of the table and the queues that were made again after an error.',
  },
  SchedulesLateSeconds: {
    unit: 'Seconds',
    statistic: 'Maximum',
    emittedBy: 'sweep',
    row: 'writers',
    text: 'Time since a scheduled post became due whose event is not fired yet. 0 if there is none.',
  },
  OutboxLeft: {
    unit: 'Count',
    statistic: 'Maximum',
    emittedBy: 'sweep',
    row: 'subscribers',
    text: 'Messages that the last sweep could not send: their queue refused them, or they cannot be read.',
  },
  DeliveriesSucceeded: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'deliver-webhooks',
    row: 'subscribers',
    text: 'Deliveries that the receiver answered with 2xx.',
  },
  DeliveriesFailed: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'deliver-webhooks',
    row: 'subscribers',
    text: 'Deliveries that ended without a 2xx.',
  },
  MailsSent: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'jobs',
    row: 'subscribers',
    text: 'Mails that SES accepted.',
  },
  MailsFailed: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'jobs',
    row: 'subscribers',
    text: 'Mails that SES rejected, or whose end is unknown.',
  },
  MailsHeld: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'jobs',
    row: 'subscribers',
    text: 'Mails that were not sent, because their mailbox had reached its hourly limit.',
  },
  MailsOverCeiling: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'jobs',
    row: 'subscribers',
    text: 'Attempts at mails that wait, because all mails of their kind have reached an hourly limit.',
  },
  MailsRefused: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'jobs',
    row: 'subscribers',
    text: 'Mails that were not sent, because an earlier one bounced or its recipient complained.',
  },
  AddressesRefused: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'jobs',
    row: 'subscribers',
    text: 'Notices of SES after which an address gets no more mail.',
  },
  NoticesIgnored: {
    unit: 'Count',
    statistic: 'Sum',
    emittedBy: 'jobs',
    row: 'subscribers',
    text: 'Notices of SES that change nothing: transient bounces, repeated notices, other kinds.',
  },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof METRICS
