// What the service costs: what each act uses, by the budgets of the benchmark and the declarations of the
// functions, multiplied by the prices of AWS. Pure.
import * as z from 'zod/mini'
import { QUEUES } from '../../shared/events/message.ts'
import { METRICS } from '../../shared/metrics/metrics.ts'
import { ALARMS } from '../../shared/service/alarms.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import budgets from '../../test/bench/budgets.json' with { type: 'json' }
import list from './prices.json' with { type: 'json' }

/** How much of each priced thing something uses. */
const Amounts = z.partial(
  z.object({
    gatewayRequest: z.number(),
    invocation: z.number(),
    gigabyteSecond: z.number(),
    readUnit: z.number(),
    writeUnit: z.number(),
    queueRequest: z.number(),
    fifoRequest: z.number(),
    loggedGigabyte: z.number(),
    sentGigabyte: z.number(),
    secretDay: z.number(),
    shieldDay: z.number(),
    shieldRequest: z.number(),
    alarmDay: z.number(),
    metricDay: z.number(),
    keyDay: z.number(),
  }),
)
type Amounts = z.infer<typeof Amounts>
export type Priced = keyof Amounts

const PRICES = z.required(Amounts).parse(list.prices)

/** The lines of the bill. */
export const SERVICES: Record<string, Priced[]> = {
  'API Gateway': ['gatewayRequest'],
  Lambda: ['invocation', 'gigabyteSecond'],
  Table: ['readUnit', 'writeUnit'],
  Queues: ['queueRequest', 'fifoRequest'],
  Logs: ['loggedGigabyte'],
  'Data sent': ['sentGigabyte'],
  Secrets: ['secretDay'],
  Shield: ['shieldDay', 'shieldRequest'],
  Watching: ['alarmDay', 'metricDay', 'keyDay'],
}

export const DAY_SECONDS = 86_400
/** A round trip to the table, in seconds; the function waits for it and is paid for while it does. */
const ROUND_TRIP = 0.006
/** The CPU time of a request, in seconds. */
const CPU = 0.006
/** A line of the function and one of the gateway for each request; a line for each delivery. */
const LINE_GIGABYTES = 600e-9
/** An answer of page 1 of a list, compressed. */
const ANSWER_GIGABYTES = 3_000e-9
const DELIVERY_GIGABYTES = 2_000e-9
/** Sending, receiving and deleting a message. */
const REQUESTS_A_MESSAGE = 3
/** Its claim, its outcome and counters, and at most two for the log. Measured in test/webhooks. */
const DELIVERY_WRITES = 7
/** The version of the subscriptions, the owner and a token, if no other delivery shares its message. */
const DELIVERY_READS = 3
/** A receiver answers in this time, while the same run delivers to others. */
const RECEIVER_SECONDS = 0.3
const DELIVERIES_TOGETHER = 10
/** Lambda polls each queue with at least five long polls, of 20 seconds each. */
const POLLS_A_DAY = (5 * DAY_SECONDS) / 20
const SWEEP_SECONDS = 0.2
const SWEEP_READS = 30

type Cost = { roundTrips: number; readUnits: number; writeUnits: number }

function gigabytes({ memoryMb }: { memoryMb: number } = { memoryMb: 1024 }): number {
  return memoryMb / 1024
}

function request(fn: { memoryMb: number } | undefined, cost: Cost): Amounts {
  return {
    gatewayRequest: 1,
    shieldRequest: 1,
    invocation: 1,
    gigabyteSecond: gigabytes(fn) * (CPU + cost.roundTrips * ROUND_TRIP),
    readUnit: cost.readUnits,
    writeUnit: cost.writeUnits,
    loggedGigabyte: 2 * LINE_GIGABYTES,
    sentGigabyte: ANSWER_GIGABYTES,
  }
}

/** Page 1 of the list of posts, which no function remembers. */
const READ = request(API_FUNCTIONS.public, budgets['GET /posts'])

/** The request, and all that its messages cause: the event, fan-out and the index. */
const PUBLISH: Amounts = {
  ...request(API_FUNCTIONS.admin, budgets['POST /admin/posts, with everything that follows']),
  invocation: 3,
  queueRequest: REQUESTS_A_MESSAGE,
  fifoRequest: REQUESTS_A_MESSAGE,
}

const DELIVERY: Amounts = {
  invocation: 1 / DELIVERIES_TOGETHER,
  gigabyteSecond: (gigabytes(QUEUE_WORKERS['deliver-webhooks']) * RECEIVER_SECONDS) / DELIVERIES_TOGETHER,
  readUnit: DELIVERY_READS,
  writeUnit: DELIVERY_WRITES,
  queueRequest: REQUESTS_A_MESSAGE,
  loggedGigabyte: LINE_GIGABYTES,
  sentGigabyte: DELIVERY_GIGABYTES,
}

function idleDay(): Amounts {
  const all = [API_FUNCTIONS, QUEUE_WORKERS, SCHEDULED_WORKERS].flatMap(group => Object.values(group))
  const queues = Object.values(QUEUES)
  const fifoQueues = queues.filter(({ isFifo }) => isFifo).length
  const secrets = new Set(all.flatMap(each => each.secrets))
  const sweeps = 1_440 / (SCHEDULED_WORKERS.sweep?.everyMinutes ?? 1)
  return {
    queueRequest: (queues.length - fifoQueues) * POLLS_A_DAY,
    fifoRequest: fifoQueues * POLLS_A_DAY,
    invocation: sweeps,
    gigabyteSecond: sweeps * gigabytes(SCHEDULED_WORKERS.sweep) * SWEEP_SECONDS,
    readUnit: sweeps * SWEEP_READS,
    writeUnit: sweeps,
    loggedGigabyte: sweeps * LINE_GIGABYTES,
    secretDay: secrets.size,
    shieldDay: 1,
    alarmDay: ALARMS.filter(({ onlyWith }) => onlyWith === undefined).reduce(
      (sum, { metric }) => sum + ('sumOf' in metric ? metric.sumOf.length : 1),
      0,
    ),
    metricDay: Object.keys(METRICS).length,
    // The key of the topic that alarms write to.
    keyDay: 1,
  }
}

export type Day = { reads: number; publishes: number; deliveries: number }

/** Dollars by column and by line of the bill. */
export type Bill = Record<string, Record<string, number>>

/** What a stage may be without. */
export type Has = { shield: boolean; alarms: boolean }
const ALL: Has = { shield: true, alarms: true }

function without({ shield, alarms }: Has, amounts: Amounts): Amounts {
  return {
    ...amounts,
    ...(!shield && { shieldDay: 0, shieldRequest: 0 }),
    ...(!alarms && { alarmDay: 0, keyDay: 0 }),
  }
}

/** @param units the ceiling of the table's units: what exceeds it is throttled, and costs nothing. */
export function billOf({ reads, publishes, deliveries }: Day, units: Units, has = ALL): Bill {
  const columns: [string, number, Amounts][] = [
    ['reads', reads, READ],
    ['publishes', publishes, PUBLISH],
    ['deliveries', deliveries, DELIVERY],
    ['idle', 1, idleDay()],
  ]
  const bill = Object.fromEntries(
    columns.map(([name, count, amounts]) => [name, linesOf(count, without(has, amounts))]),
  )
  const wanted = Object.values(bill).reduce((sum, { Table = 0 }) => sum + Table, 0)
  const share = Math.min(1, tableCeiling(units) / wanted)
  return Object.fromEntries(
    Object.entries(bill).map(([name, lines]) => [name, { ...lines, Table: (lines.Table ?? 0) * share }]),
  )
}

function linesOf(count: number, amounts: Amounts): Record<string, number> {
  return Object.fromEntries(
    Object.entries(SERVICES).map(([service, things]) => [
      service,
      things.reduce((sum, thing) => sum + count * (amounts[thing] ?? 0) * PRICES[thing], 0),
    ]),
  )
}

type Units = { read: number; write: number }

/** What the table costs in a day at the ceiling of its units. */
export function tableCeiling({ read, write }: Units): number {
  return DAY_SECONDS * (read * PRICES.readUnit + write * PRICES.writeUnit)
}

export function totalOf(lines: Record<string, number>): number {
  return Object.values(lines).reduce((sum, dollars) => sum + dollars, 0)
}
