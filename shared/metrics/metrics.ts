// The metrics that the functions count, in the namespace of their stack. None has a dimension, so that their
// number and price do not grow with users, and none is sent while it is 0.

export type Metric = {
  statistic: 'Maximum' | 'Sum'
  /** The graph of the dashboard that shows it. */
  graph: 'table' | 'waiting' | 'sent'
  text: string
}

export const METRICS = {
  LimiterOpen: {
    statistic: 'Sum',
    graph: 'table',
    text: 'Requests that were answered although the limiter could not count them.',
  },
  IndexPending: {
    statistic: 'Maximum',
    graph: 'waiting',
    text: 'Posts whose change is not merged into the search index yet.',
  },
  Conflicts: {
    statistic: 'Sum',
    graph: 'table',
    text: 'Writes that started again because another one changed the same records.',
  },
  Retries: {
    statistic: 'Sum',
    graph: 'table',
    text: 'Calls of the table and the queues that were made again after an error.',
  },
  SchedulesLateSeconds: {
    statistic: 'Maximum',
    graph: 'waiting',
    text: 'Time since a scheduled post became due whose event is not fired yet.',
  },
  OutboxLeft: {
    statistic: 'Maximum',
    graph: 'waiting',
    text: 'Messages that the last sweep could not send: their queue refused them, or they cannot be read.',
  },
  DeliveriesSucceeded: {
    statistic: 'Sum',
    graph: 'sent',
    text: 'Deliveries that the receiver answered with 2xx.',
  },
  DeliveriesFailed: {
    statistic: 'Sum',
    graph: 'sent',
    text: 'Deliveries that ended without a 2xx.',
  },
  MailsSent: {
    statistic: 'Sum',
    graph: 'sent',
    text: 'Mails that SES accepted.',
  },
  MailsFailed: {
    statistic: 'Sum',
    graph: 'sent',
    text: 'Mails that SES rejected, or whose end is unknown.',
  },
  MailsHeld: {
    statistic: 'Sum',
    graph: 'sent',
    text: 'Mails that were not sent, because of an hourly limit, or because an earlier one bounced.',
  },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof METRICS
