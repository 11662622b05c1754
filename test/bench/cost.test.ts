// The calculation of what a day costs: its sums, its options, and that it follows budgets and declarations.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { billOf, tableCeiling, totalOf } from '../../infra/cost/model.ts'
import { reportOf, UsageError } from '../../infra/cost/report.ts'
import { readSettings } from '../../infra/settings.ts'
import { METRICS } from '../../shared/metrics/metrics.ts'
import { ALARMS } from '../../shared/service/alarms.ts'
import { budgets } from './budgets.ts'

const { maxUnits } = readSettings(() => undefined)
const NOTHING = { reads: 0, publishes: 0, deliveries: 0 }
const Json = z.object({
  day: z.object({ reads: z.int(), publishes: z.int(), deliveries: z.int() }),
  bill: z.record(z.string(), z.record(z.string(), z.number())),
})

function jsonOf(args: string[]) {
  return Json.parse(JSON.parse(reportOf([...args, '--json'])))
}

describe('the bill of a day', () => {
  it('has the price of each request, unit and message', () => {
    const { reads, deliveries } = billOf({ reads: 1e6, publishes: 0, deliveries: 1e6 }, maxUnits)
    const list = budgets['GET /posts']
    expect(reads?.['API Gateway']).toBeCloseTo(3.5)
    expect(reads?.Table).toBeCloseTo(0.125 * (list?.readUnits ?? 0) + 0.625 * (list?.writeUnits ?? 0))
    expect(deliveries?.Table).toBeCloseTo(0.125 * 3 + 0.625 * 7)
    expect(deliveries?.['API Gateway']).toBe(0)
  })

  it('grows with each count alone, and is that of an idle day without any', () => {
    const idle = billOf(NOTHING, maxUnits)
    expect(totalOf(idle.idle ?? {})).toBeGreaterThan(0)
    for (const name of ['reads', 'publishes', 'deliveries']) {
      expect(totalOf(idle[name] ?? {})).toBe(0)
      const once = billOf({ ...NOTHING, [name]: 1e3 }, maxUnits)
      const twice = billOf({ ...NOTHING, [name]: 2e3 }, maxUnits)
      expect(totalOf(once[name] ?? {})).toBeGreaterThan(0)
      expect(totalOf(twice[name] ?? {})).toBeCloseTo(2 * totalOf(once[name] ?? {}))
      expect({ ...twice, [name]: {} }).toEqual({ ...idle, [name]: {} })
    }
  })
})

describe('the table', () => {
  const tableOf = (reads: number) =>
    Object.values(billOf({ reads, publishes: 1e6, deliveries: 1e6 }, maxUnits)).reduce(
      (sum, { Table = 0 }) => sum + Table,
      0,
    )

  it('never costs more than the ceiling of its units', () => {
    const most = tableCeiling(maxUnits)
    expect(tableOf(1e7)).toBeLessThan(most)
    for (const reads of [1e9, 1e12]) expect(tableOf(reads)).toBeCloseTo(most)
  })
})

describe('npm run cost', () => {
  it('takes counts as they are or as powers of ten, and has a million reads otherwise', () => {
    expect(jsonOf(['--reads', '2e6', '--publishes', '7', '--deliveries=0']).day).toEqual({
      reads: 2_000_000,
      publishes: 7,
      deliveries: 0,
    })
    expect(jsonOf([]).day).toEqual({ reads: 1_000_000, publishes: 1_000, deliveries: 100_000 })
  })

  it('prints a table whose last line is the sum of the others', () => {
    const lines = reportOf([]).trimEnd().split('\n').slice(3)
    const numbers = lines.map(line => line.match(/\d+\.\d\d/g)?.map(Number) ?? [])
    const total = numbers.pop() ?? []
    for (const [column, value] of total.entries()) {
      const sum = numbers.reduce((all, row) => all + (row[column] ?? 0), 0)
      expect(Math.abs(sum - value)).toBeLessThan(0.05)
    }
    expect(total).toHaveLength(5)
    expect(lines.at(-1)).toMatch(/^Total /)
  })

  it('with --ceiling calculates a day of as many requests as the usage plans of all tiers admit', () => {
    const { ratePerSecond } = readSettings(() => undefined)
    const { reads, publishes } = jsonOf(['--ceiling']).day
    expect(reads + publishes).toBe(Object.values(ratePerSecond).reduce((sum, rate) => sum + rate, 0) * 86_400)
    expect(jsonOf(['--ceiling', '--reads', '1']).day.reads).toBe(1)
  })

  it('with --stage takes the rates, units, shield and alarms of the stage', () => {
    const stages = {
      small: { publicRate: 10, meRate: 5, adminRate: 5, maxReadRequestUnits: 40, shield: false },
      dev: { disposable: true },
    }
    const of = (...args: string[]) => Json.parse(JSON.parse(reportOf([...args, '--json'], stages)))
    const { day, bill } = of('--stage', 'small', '--ceiling')
    expect(day).toEqual({ reads: 15 * 86_400, publishes: 5 * 86_400, deliveries: 5 * 86_400 })
    expect([bill.reads?.Shield, bill.idle?.Shield]).toEqual([0, 0])
    expect(reportOf(['--stage', 'small'], stages)).toContain('at most 40 read and 4,000 write units')
    const usual = of().bill.idle?.Watching ?? 0
    expect(bill.idle?.Watching).toBe(usual)
    expect(of('--stage', 'dev').bill.idle?.Watching).toBeLessThan(usual)
  })

  it.each([
    [['--reads', 'many'], '--reads: Must be a whole number from 0'],
    [['--deliveries', '-1'], '--deliveries'],
    [['--publishes', ''], '--publishes: Must be'],
    [['--posts', '1'], "Unknown option '--posts'"],
    [['--stage', 'none'], 'There is no stage none. infra/stages.ts has the stages: live, dev.'],
  ])('refuses %j', (args, message) => {
    expect(() => reportOf(args)).toThrow(UsageError)
    expect(() => reportOf(args)).toThrow(message)
  })

  it('prints its options with --help', () => {
    expect(reportOf(['--help'])).toContain('npm run cost -- [--reads N]')
  })
})

describe('infra/cost/README.md', () => {
  const text = readFileSync(new URL('../../infra/cost/README.md', import.meta.url), 'utf8')
  const { bill } = jsonOf(['--ceiling'])
  const sumOf = (service: string) =>
    Object.values(bill).reduce((sum, lines) => sum + (lines[service] ?? 0), 0)

  it('says what an idle month costs, and what of it the alarms and the metrics', () => {
    const month = 30 * totalOf(bill.idle ?? {})
    expect(text).toContain(`about $${month.toFixed(0)} a month: the shield $6`)
    const always = ALARMS.filter(({ onlyWith }) => onlyWith === undefined)
    const alarms = always.reduce((sum, { metric }) => sum + ('sumOf' in metric ? metric.sumOf.length : 1), 0)
    expect(text).toContain(`alarms $${(0.1 * alarms).toFixed(2)} `)
    expect(text).toContain(`metrics of the functions $${(0.3 * Object.keys(METRICS).length).toFixed(2)} `)
  })

  it('says what a day at the ceiling costs, within five percent', () => {
    const [, day = '', gateway = '', shield = ''] =
      /at most about \$([\d,]+), .*\(\$([\d,]+) for API Gateway, and \$(\d+) each/.exec(text) ?? []
    const isNear = (said: string, dollars: number) =>
      Math.abs(Number(said.replace(',', '')) / dollars - 1) < 0.05
    const all = Object.values(bill).reduce((sum, lines) => sum + totalOf(lines), 0)
    expect(isNear(day, all)).toBe(true)
    expect(isNear(gateway, sumOf('API Gateway'))).toBe(true)
    for (const service of ['Shield', 'Logs']) expect(isNear(shield, sumOf(service))).toBe(true)
    const table = tableCeiling(maxUnits)
    expect(text).toContain(`bounds its part to $${table.toFixed(0)}`)
    expect(sumOf('Table')).toBeCloseTo(table)
  })
})
