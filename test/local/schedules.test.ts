// The clock of the local run: which functions it calls, when, and with which event.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Schedule, schedulesOf, startSchedules } from '../../infra/local/schedules.ts'

const EVERY_MINUTE: Schedule = {
  id: 'Sweep',
  functionId: 'Sweeper',
  periodMs: 60_000,
  event: current => ({ at: current.toISOString() }),
}

function read(type: string, properties: Record<string, unknown>) {
  return schedulesOf({
    resources: [{ id: 'Sweep', type, properties }],
    resolve: value => value,
    functionIdOf: reference => String(reference),
  })
}

describe('a running clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse('2026-01-02T03:04:05Z') })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('calls each function immediately and then once per period until it stops', async () => {
    const calls: unknown[] = []
    const invoke = async (id: string, event: unknown) => void calls.push([id, event])
    const clock = startSchedules({ schedules: [EVERY_MINUTE], clock: true, invoke, log: () => {} })
    expect(calls).toEqual([['Sweeper', { at: '2026-01-02T03:04:05.000Z' }]])
    await vi.advanceTimersByTimeAsync(120_000)
    expect(calls).toHaveLength(3)
    await clock.stop()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(calls).toHaveLength(3)
  })

  it('logs a failure and continues', async () => {
    const lines: string[] = []
    const invoke = () => Promise.reject(new Error('no table'))
    const log = (line: string) => void lines.push(line)
    const clock = startSchedules({ schedules: [EVERY_MINUTE], clock: true, invoke, log })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(lines).toEqual(Array(2).fill('The schedule Sweep failed: no table'))
    await clock.stop()
  })
})

describe('schedulesOf', () => {
  const target = { Arn: 'Sweeper', RoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] } }
  const properties = { ScheduleExpression: 'rate(5 minutes)', Target: target }

  it('reads period and function of a schedule', () => {
    const schedules = read('AWS::Scheduler::Schedule', properties)
    expect(schedules).toMatchObject([{ id: 'Sweep', functionId: 'Sweeper', periodMs: 300_000 }])
  })

  it('replaces the scheduled time in the input of a schedule', () => {
    const Input = '{"time":"<aws.scheduler.scheduled-time>"}'
    const [schedule] = read('AWS::Scheduler::Schedule', { ...properties, Target: { ...target, Input } })
    expect(schedule?.event(new Date('2026-01-02T03:04:05.678Z'))).toEqual({ time: '2026-01-02T03:04:05Z' })
  })

  it('reads a rule, whose function gets a scheduled event', () => {
    const Targets = [{ Arn: 'Sweeper', Id: 'Target0' }]
    const [schedule] = read('AWS::Events::Rule', { ScheduleExpression: 'rate(1 hour)', Targets })
    expect(schedule).toMatchObject({ functionId: 'Sweeper', periodMs: 3_600_000 })
    expect(schedule?.event(new Date())).toMatchObject({
      'detail-type': 'Scheduled Event',
      region: 'us-east-1',
      detail: {},
    })
  })

  it('ignores a disabled schedule', () => {
    expect(read('AWS::Scheduler::Schedule', { ...properties, State: 'DISABLED' })).toEqual([])
  })

  it('rejects an unsupported schedule expression', () => {
    const daily = { ...properties, ScheduleExpression: 'cron(0 8 * * ? *)' }
    expect(() => read('AWS::Scheduler::Schedule', daily)).toThrow('Sweep is cron(0 8 * * ? *)')
  })
})
