// Checks that alarms, dashboard and runbook say the same, as declared once; writes the runbook.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ALARMS } from '../../infra/alarms.ts'
import { METRICS } from '../../shared/metrics/metrics.ts'
import { EVERY_VALUE, synthesize } from './synthesize.ts'
import { idOf, plain, type Template } from './template.ts'

const alarmEmail = 'owner@example.com'
const usual = synthesize({ alarmEmail })
const withAll = synthesize(EVERY_VALUE)
const withoutEmail = synthesize({ alarmEmail: 'none' })

const alarms = ALARMS.map(declared => {
  const { properties } = withAll.only('AWS::CloudWatch::Alarm', `alarms${idOf(declared.id)}`)
  return { ...declared, properties, text: JSON.stringify(properties.AlarmDescription) }
})

function idsOf({ of }: Template): string[] {
  return of('AWS::CloudWatch::Alarm').map(({ id }) => plain(id))
}

describe('the alarms of the stack', () => {
  it('are those that are declared, but for mails and backups where the stage has none', () => {
    const declared = ALARMS.map(({ id }) => `alarms${idOf(id)}`)
    expect(idsOf(withAll)).toEqual(declared)
    const without = ['alarmsmailbounces', 'alarmsbackups']
    expect(idsOf(usual)).toEqual(declared.filter(id => !without.includes(id)))
  })

  it('say what they mean, and the first command with the names of the stage', () => {
    for (const { means, text } of alarms) {
      const [begin = ''] = means.split('STAGE')
      expect(text).toContain(JSON.stringify(begin).slice(1, -1))
      expect(text).toContain('\\nFirst: ')
      expect(text).not.toMatch(/STAGE/)
    }
  })

  it('write to one topic, when they begin and when they are over, and only over TLS', () => {
    // The notices of SES have a topic of their own.
    const topic = withAll.only('AWS::SNS::Topic', 'alarmstopic').id
    const action = [{ Ref: topic }]
    for (const { properties } of alarms) {
      expect([properties.AlarmActions, properties.OKActions]).toEqual([action, action])
    }
    const policy = JSON.stringify(withAll.only('AWS::SNS::TopicPolicy', 'alarmstopicpolicy'))
    expect(policy).toContain('"aws:SecureTransport":"false"')
    expect(policy).toContain('cloudwatch.amazonaws.com')
    expect(usual.only('AWS::SNS::Subscription').properties.Endpoint).toBe(alarmEmail)
  })

  it('do not begin while a stage is created: a missing sweep has no data yet, and then gives notice', () => {
    const { properties } = usual.only('AWS::CloudWatch::Alarm', 'alarmssweepmissing')
    expect(properties.TreatMissingData).toBe('missing')
    expect(properties.InsufficientDataActions).toEqual(properties.AlarmActions)
  })

  it('do not exist without an address, nor does the dashboard', () => {
    const types = withoutEmail.resources.map(({ type }) => type)
    expect(types.filter(type => /^AWS::(CloudWatch|SNS)/.test(type))).toEqual([])
  })

  it('and a stage need no key: only backups have one', () => {
    expect(usual.of('AWS::KMS::Key')).toEqual([])
    expect(withAll.only('AWS::KMS::Key').id).toMatch(/^Backups/)
  })
})

describe('the budget', () => {
  it('exists with an amount', () => {
    expect(usual.of('AWS::Budgets::Budget')).toEqual([])
    expect(withAll.only('AWS::Budgets::Budget').properties).toMatchObject({
      Budget: { BudgetLimit: { Amount: 50, Unit: 'USD' }, TimeUnit: 'MONTHLY' },
    })
  })
})

const ALL_METRICS = Object.values(METRICS).flatMap(ofGraph => Object.entries(ofGraph))

describe('the dashboard', () => {
  it('has six graphs, with every metric of the functions', () => {
    const body = JSON.stringify(usual.only('AWS::CloudWatch::Dashboard').properties.DashboardBody)
    expect(body.match(/\\"type\\":\\"metric\\"/g)).toHaveLength(6)
    for (const [name] of ALL_METRICS) expect(body).toContain(`\\"${name}\\"`)
  })
})

/** What is written by hand, and below it the declarations. */
function runbookText(): string {
  const page = readFileSync(new URL('../../infra/runbook.md', import.meta.url), 'utf8')
  const [head = ''] = page.split('## Alarms')
  const lines = ALARMS.map(({ id, means, firstCommand }) => `- **${id}**: ${means}\n  \`${firstCommand}\``)
  const metrics = ALL_METRICS.map(([name, text]) => `| \`${name}\` | ${text} |`)
  return [
    `${head}## Alarms`,
    '',
    ...lines,
    '',
    '## Metrics of the functions',
    '',
    'In the namespace of the stack, sent while they are not 0:',
    '',
    '| metric | counts |',
    '|---|---|',
    ...metrics,
    '',
  ].join('\n')
}

describe('infra/runbook.md', () => {
  it('is the text of the declaration; `npm test -- test/shape/runbook.test.ts -u` writes it', async () => {
    await expect(runbookText()).toMatchFileSnapshot('../../infra/runbook.md')
  })
})
