// The metrics that the functions count, in the namespace of their stack. None has a dimension, so that their
// number and price do not grow with users, and none is sent while it is 0.

/** What each counts, by the graph that shows it. Those of `waiting` are states, all others are sums. */
export const METRICS = {
  table: {
    LimiterOpen: 'Requests that were answered although the limiter could not count them.',
    Conflicts: 'Writes that started again because another one changed the same records.',
    Retries: 'Calls of the table and the queues that were made again after an error.',
  },
  waiting: {
    IndexPending: 'Posts whose change is not merged into the search index yet.',
    SchedulesLateSeconds: 'Time since a scheduled post became due whose event is not fired yet.',
    OutboxLeft:
      'Messages that the last sweep could not send: their queue refused them, or they cannot be read.',
  },
  sent: {
    DeliveriesSucceeded: 'Deliveries that the receiver answered with 2xx.',
    DeliveriesFailed: 'Deliveries that ended without a 2xx.',
    MailsSent: 'Mails that SES accepted.',
    MailsFailed: 'Mails that SES rejected, or whose end is unknown.',
    MailsHeld: 'Mails that were not sent, because of an hourly limit, or because an earlier one bounced.',
  },
} as const

export type Graph = keyof typeof METRICS
export type MetricName = { [Name in Graph]: keyof (typeof METRICS)[Name] }[Graph]
