// The clock of the local run: calls functions by the schedules of the template.
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { ACCOUNT_ID, arn, REGION } from './account.ts'
import type { Log } from './log.ts'
import { pick } from './template/pick.ts'
import { parseProperties, type Resource } from './template/template.ts'

export type Schedule = {
  id: string
  functionId: string
  periodMs: number
  event(current: Date): unknown
}

export type Schedules = {
  /** The logical ids of all schedules and of their functions. */
  names: Set<string>
  /** Runs a schedule now, by its logical id or its function's. Rejects with the function's error. */
  runNow(id: string): Promise<unknown>
  /** Starts no more runs and waits for running ones. */
  stop(): Promise<void>
}

/** Each schedule runs immediately, to catch up after a downtime, and then once per period. */
export function startSchedules(options: {
  schedules: Schedule[]
  /** False: schedules run only by `runNow`. */
  clock: boolean
  invoke: (functionId: string, event: unknown) => Promise<unknown>
  log: Log
}): Schedules {
  const { schedules, clock, invoke, log } = options
  const running = new Set<Promise<unknown>>()
  let stopped = false

  function tick({ id, functionId, event }: Schedule): void {
    const run = invoke(functionId, event(new Date()))
      .catch(error => {
        if (!stopped) {
          log(`The schedule ${id} failed: ${error instanceof Error ? error.message : error}`, 'warn')
        }
      })
      .finally(() => running.delete(run))
    running.add(run)
  }

  const timers = (clock ? schedules : []).map(schedule => {
    tick(schedule)
    return setInterval(tick, schedule.periodMs, schedule)
  })

  return {
    names: new Set(schedules.flatMap(({ id, functionId }) => [id, functionId])),
    async runNow(id) {
      const schedule = schedules.find(candidate => candidate.id === id || candidate.functionId === id)
      if (!schedule) throw new Error(`The template has no schedule ${id}, nor one of a function ${id}.`)
      return invoke(schedule.functionId, schedule.event(new Date()))
    },
    async stop() {
      stopped = true
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running)
    },
  }
}

const target = z.object({ Input: z.optional(z.string()) })

/** Reads AWS::Scheduler::Schedule and AWS::Events::Rule. Throws for expressions other than `rate(…)`. */
export function schedulesOf(options: {
  resources: Resource[]
  resolve: (value: unknown) => unknown
  functionIdOf: (reference: unknown) => string
}): Schedule[] {
  const { resources, resolve, functionIdOf } = options
  const names = ['ScheduleExpression', 'State']
  const shape = z.object({ ScheduleExpression: z.optional(z.string()), State: z.optional(z.string()) })
  return resources.flatMap(resource => {
    const { id, type, properties } = resource
    const parsed = parseProperties(resource, shape, resolve(pick(properties, names)))
    const { ScheduleExpression: expression, State } = parsed
    if (expression === undefined || State === 'DISABLED') return []
    const periodMs = periodOf(id, expression)
    const isRule = type === 'AWS::Events::Rule'
    const targets = isRule
      ? parseProperties(resource, z.array(z.unknown()), properties.Targets)
      : [properties.Target]
    return targets.map(raw => {
      const { Arn, Input } = parseProperties(resource, z.record(z.string(), z.unknown()), raw)
      const input = parseProperties(resource, target, resolve({ Input })).Input
      const event = (current: Date) =>
        input === undefined ? plainEvent(id, isRule, current) : JSON.parse(fillIn(input, id, current))
      return { id, functionId: functionIdOf(Arn), periodMs, event }
    })
  })
}

const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

function periodOf(id: string, expression: string): number {
  const match = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression)
  const [, count, unit] = match ?? []
  if (count && (unit === 'minute' || unit === 'hour' || unit === 'day')) return Number(count) * UNIT_MS[unit]
  throw new Error(
    `The schedule ${id} is ${expression}. The local run supports only rate(N minutes|hours|days).`,
  )
}

function plainEvent(id: string, isRule: boolean, current: Date): unknown {
  if (!isRule) return {}
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: ACCOUNT_ID,
    time: `${current.toISOString().slice(0, 19)}Z`,
    region: REGION,
    resources: [arn('events', `rule/${id}`)],
    detail: {},
  }
}

/** Replaces the context attributes of EventBridge Scheduler in a target's input. */
function fillIn(input: string, id: string, current: Date): string {
  return input
    .replaceAll('<aws.scheduler.schedule-arn>', arn('scheduler', `schedule/default/${id}`))
    .replaceAll('<aws.scheduler.scheduled-time>', `${current.toISOString().slice(0, 19)}Z`)
    .replaceAll('<aws.scheduler.execution-id>', randomUUID())
    .replaceAll('<aws.scheduler.attempt-number>', '1')
}
