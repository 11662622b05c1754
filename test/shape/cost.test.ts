// The calculation of what a stage costs: it follows the template, and the front page has what it says.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { costOf } from '../../infra/cost/cost.ts'
import { dollars, idleMonth } from '../../infra/cost/model.ts'
import { synthesize } from './synthesize.ts'

const alarmEmail = 'owner@example.com'

function idleOf(context: Record<string, string>): number {
  return dollars(idleMonth(JSON.parse(synthesize(context).text)))
}

function amountOf(what: string): number {
  const [, amount = ''] = new RegExp(`\\| ${what} \\| ([\\d.]+) \\|`).exec(costOf({ alarmEmail })) ?? []
  return Number(amount)
}

describe('an idle stage', () => {
  const usual = idleOf({ alarmEmail })

  it('costs less than $3.50 a month, and less than $1.80 after the allowances that never end', () => {
    expect(amountOf('idle, a month')).toBeCloseTo(usual, 1)
    expect(usual).toBeLessThan(3.5)
    expect(amountOf('idle, a month, after the allowances that never end')).toBeLessThan(1.8)
  })

  it('costs more with a shield and with backups, which have a key and an alarm of three metrics', () => {
    expect(idleOf({ alarmEmail, shield: 'true' }) - usual).toBeCloseTo(6)
    expect(idleOf({ alarmEmail, backupDays: '365' }) - usual).toBeCloseTo(1 + 0.3)
  })

  it('costs less without alarms', () => {
    expect(usual - idleOf({ alarmEmail: 'none' })).toBeCloseTo(1.1)
  })
})

describe('requests', () => {
  it('cost at most $5.50 for a million reads', () => {
    expect(amountOf('a million reads')).toBeLessThanOrEqual(5.5)
  })

  it('cost less at API Gateway beyond its volumes', () => {
    expect(dollars({ gatewayRequest: 333e6 })).toBeCloseTo(333 * 3.5)
    expect(dollars({ gatewayRequest: 433e6 })).toBeCloseTo(333 * 3.5 + 100 * 2.8)
  })
})

describe('the front page', () => {
  it('has the table of `npm run cost`', () => {
    const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    expect(page).toContain(`<!-- cost: begin -->\n${costOf({ alarmEmail })}<!-- cost: end -->`)
  })
})
