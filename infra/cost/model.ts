// What a stage costs: what its template holds while it is idle, and what each act uses by the budgets of the
// benchmark, multiplied by the prices of AWS. Pure.
import * as z from 'zod/mini'
import { API_FUNCTIONS } from '../../shared/service/api-functions.ts'
import type { ApiFunction } from '../../shared/service/permissions.ts'
import { QUEUE_WORKERS } from '../../shared/service/workers.ts'
import budgets from '../../test/bench/budgets.json' with { type: 'json' }
import type { StageSettings } from '../stage-settings.ts'
import list from './prices.json' with { type: 'json' }

type PriceName = keyof typeof list.prices
const PRICE_NAMES = Object.keys(list.prices) as PriceName[]
/** How much is used of what has a price. */
type Amounts = Partial<Record<PriceName, number>>

const DAY_SECONDS = 86_400
const MONTH_DAYS = 30
/** A round trip to the table, and the CPU time of a request: a function is paid for both. */
const ROUND_TRIP_SECONDS = 0.006
const CPU_SECONDS = 0.006
/** The lines of gateway and function, and the line of a delivery. CloudWatch adds 26 bytes to each. */
const REQUEST_LOG_BYTES = 560
const DELIVERY_LOG_BYTES = 400
/** Page 1 of a list, compressed; a delivery with its headers. */
const ANSWER_BYTES = 3_000
const DELIVERY_BYTES = 2_000
/** The share of reads that find what a function remembers of the content. */
const REMEMBERED = 0.9
/** Sending, receiving and deleting a message. */
const REQUESTS_A_MESSAGE = 3
/** It writes claim, outcome and log, and reads subscriptions, owner and token. Measured in test/webhooks. */
const DELIVERY_UNITS = { writeUnit: 7, readUnit: 3 }
/** How long a receiver takes to answer. Deliveries to other receivers run at the same time. */
const RECEIVER_SECONDS = 0.3
const DELIVERIES_TOGETHER = 10
/** Lambda polls each queue with at least five long polls, of 20 seconds each. */
const POLLS_A_DAY = (5 * DAY_SECONDS) / 20
const SWEEP_AMOUNTS = { readUnit: 30, writeUnit: 1, loggedGigabyte: 300e-9 }
const SWEEP_SECONDS = 0.2

function request(
  { memoryMb }: ApiFunction,
  { roundTrips, readUnits, writeUnits }: (typeof budgets)['GET /posts'],
): Amounts {
  return {
    gatewayRequest: 1,
    invocation: 1,
    gigabyteSecond: (memoryMb / 1024) * (CPU_SECONDS + roundTrips * ROUND_TRIP_SECONDS),
    readUnit: readUnits,
    writeUnit: writeUnits,
    loggedGigabyte: REQUEST_LOG_BYTES / 1e9,
    sentGigabyte: ANSWER_BYTES / 1e9,
  }
}

function sum(...parts: [times: number, Amounts][]): Amounts {
  return Object.fromEntries(
    PRICE_NAMES.map(name => [
      name,
      parts.reduce((total, [times, part]) => total + times * (part[name] ?? 0), 0),
    ]),
  )
}

const READ = sum(
  [REMEMBERED, request(API_FUNCTIONS.public, budgets['GET /posts, repeated'])],
  [1 - REMEMBERED, request(API_FUNCTIONS.public, budgets['GET /posts'])],
)

/** The request, and all that its messages cause: the event, fan-out and the index. */
const PUBLISH: Amounts = {
  ...request(API_FUNCTIONS.admin, budgets['POST /admin/posts, with everything that follows']),
  invocation: 3,
  queueRequest: REQUESTS_A_MESSAGE,
  fifoRequest: REQUESTS_A_MESSAGE,
}

const DELIVERY: Amounts = {
  ...DELIVERY_UNITS,
  invocation: 1 / DELIVERIES_TOGETHER,
  gigabyteSecond:
    (QUEUE_WORKERS['deliver-webhooks'].memoryMb / 1024) * (RECEIVER_SECONDS / DELIVERIES_TOGETHER),
  queueRequest: REQUESTS_A_MESSAGE,
  loggedGigabyte: DELIVERY_LOG_BYTES / 1e9,
  sentGigabyte: DELIVERY_BYTES / 1e9,
}

const Template = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z._default(z.looseObject({}), {}) }),
  ),
})

/** The cost of a month without requests, by the template. */
export function idleMonth(template: unknown): Amounts {
  const resources = Object.values(Template.parse(template).Resources)
  const propertiesOf = (type: string) =>
    resources.filter(({ Type }) => Type === type).map(({ Properties }) => Properties)
  const queues = propertiesOf('AWS::Lambda::EventSourceMapping').length
  // Each FIFO queue has a dead-letter queue, which is one, too, and is not polled.
  const fifo = propertiesOf('AWS::SQS::Queue').filter(({ FifoQueue }) => FifoQueue === true).length / 2
  const runs = propertiesOf('AWS::Events::Rule').length * 1_440 * MONTH_DAYS
  const metrics = propertiesOf('AWS::CloudWatch::Alarm').flatMap(({ Metrics }) =>
    Array.isArray(Metrics) ? Metrics.filter(metric => 'MetricStat' in metric) : [1],
  )
  return sum(
    [MONTH_DAYS * POLLS_A_DAY, { queueRequest: queues - fifo, fifoRequest: fifo }],
    [runs, { ...SWEEP_AMOUNTS, invocation: 1, gigabyteSecond: SWEEP_SECONDS }],
    [1, { alarmMetric: metrics.length, secret: propertiesOf('AWS::SecretsManager::Secret').length }],
    // The shield is an ACL with a rule; the keys are those of backups.
    [1, { shield: propertiesOf('AWS::WAFv2::WebACL').length, key: propertiesOf('AWS::KMS::Key').length }],
  )
}

/** The price of what a month uses: API Gateway asks less for each request beyond a number. */
export function dollars(amounts: Amounts, allowances: Amounts = {}): number {
  return PRICE_NAMES.reduce((total, name) => {
    const amount = Math.max(0, (amounts[name] ?? 0) - (allowances[name] ?? 0))
    return total + (name === 'gatewayRequest' ? gatewayDollars(amount) : amount * list.prices[name])
  }, 0)
}

function gatewayDollars(requests: number): number {
  let from = 0
  return list.gatewayTiers.reduce((total, { upTo, price }) => {
    const within = Math.max(0, Math.min(requests, upTo) - from)
    from = upTo
    return total + within * price
  }, 0)
}

/** The rows of the table in the README: what is paid for, and the dollars. */
export function rowsOf(template: unknown, { ratePerSecond, shield }: StageSettings): [string, number][] {
  const idle = idleMonth(template)
  const withShield = (amounts: Amounts): Amounts => sum([1, amounts], [shield ? 1 : 0, { shieldRequest: 1 }])
  const read = withShield(READ)
  const rate = Object.values(ratePerSecond).reduce((total, each) => total + each, 0)
  const month = sum([rate * DAY_SECONDS * MONTH_DAYS, read])
  return [
    ['idle, a month', dollars(idle)],
    ['idle, a month, after the allowances that never end', dollars(idle, list.allowances)],
    ['a million reads', dollars(sum([1e6, read]))],
    ['a million deliveries', dollars(sum([1e6, DELIVERY]))],
    ['a publish, with all that follows', dollars(withShield(PUBLISH))],
    [`a day of the ${rate} requests a second that the tiers admit`, dollars(month) / MONTH_DAYS],
  ]
}
