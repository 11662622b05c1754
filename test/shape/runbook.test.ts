// Checks that alarms, dashboard and runbook say the same, which the declaration says once.
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { runbookText } from '../../infra/runbook.ts'
import { METRICS } from '../../shared/metrics/metrics.ts'
import { ALARMS } from '../../shared/service/alarms.ts'
import { synthesizeHere } from './smoke-stack.ts'
import { readTemplate } from './synthesized.ts'

const template = readTemplate(inject('assembly'))

const Name = z.object({ 'Fn::Join': z.tuple([z.literal(''), z.tuple([z.unknown(), z.string()])]) })
const Description = z.object({
  AlarmDescription: z.union([
    z.string(),
    z.object({ 'Fn::Sub': z.union([z.string(), z.tuple([z.string(), z.unknown()])]) }),
  ]),
})

/** The text of each alarm of the template, by the alarm's id. */
function alarmsOf(resources: { type: string; properties: Record<string, unknown> }[]) {
  const alarms = resources.filter(({ type }) => type === 'AWS::CloudWatch::Alarm')
  return new Map(
    alarms.map(({ properties }) => {
      const [, [, name]] = Name.parse(properties.AlarmName)['Fn::Join']
      const { AlarmDescription } = Description.parse(properties)
      const [text = ''] = [
        typeof AlarmDescription === 'string' ? AlarmDescription : AlarmDescription['Fn::Sub'],
      ].flat()
      return [name.slice(1), { properties, text: String(text) }]
    }),
  )
}

const { resources } = synthesizeHere({
  context: { alarmEmail: 'owner@example.com', monthlyBudgetUsd: '50', backupDays: '365' },
})
const withEmail = Object.entries(resources).map(([id, { Type, Properties }]) => ({
  id,
  type: Type,
  properties: Properties,
}))

describe('the alarms of the stack', () => {
  it('are those that are declared, but for the bill without a budget and for backups without `backupDays`', () => {
    const declared = ALARMS.map(({ id }) => id)
    const found = [...alarmsOf(template.resources).keys()]
    expect(found).toEqual(declared.filter(id => id !== 'charges' && id !== 'backups'))
    expect([...alarmsOf(withEmail).keys()]).toEqual(declared)
  })

  it('say what they mean, and the first command with the names of the stage', () => {
    for (const [id, { text }] of alarmsOf(withEmail)) {
      const declared = ALARMS.find(alarm => alarm.id === id)
      expect(text.startsWith(`${declared?.means.replaceAll('STAGE', `\${Stage}`)}\nFirst: `)).toBe(true)
      expect(text).not.toMatch(/STAGE|URL\b/)
    }
    expect(alarmsOf(withEmail).get('server-errors')?.text).toContain(
      'aws logs describe-log-groups --log-group-name-prefix $' + '{AWS::StackName}-accesslog',
    )
  })

  it('write to one topic, encrypted with a key that CloudWatch may use, and only over TLS', () => {
    // The notices of SES have a topic of their own.
    const of = (type: string) =>
      withEmail.filter(({ id, type: itsType }) => itsType === type && id.startsWith('Alarms'))
    const [topic, ...others] = of('AWS::SNS::Topic')
    expect(others).toEqual([])
    expect(topic?.properties.KmsMasterKeyId).toBeDefined()
    for (const { properties } of alarmsOf(withEmail).values()) {
      expect(properties.AlarmActions).toEqual([{ Ref: topic?.id }])
    }
    expect(JSON.stringify(of('AWS::KMS::Key'))).toContain('cloudwatch.amazonaws.com')
    const [policy] = of('AWS::SNS::TopicPolicy')
    expect(JSON.stringify(policy)).toContain('"aws:SecureTransport":"false"')
    expect(JSON.stringify(policy)).toContain('cloudwatch.amazonaws.com')
    expect(of('AWS::SNS::Subscription')).toMatchObject([{ properties: { Endpoint: 'owner@example.com' } }])
  })

  it('compare concurrent functions with the quota of the account, and the bill with the budget', () => {
    const { resources } = synthesizeHere({ context: { lambdaQuota: '10' } })
    const alarms = alarmsOf(
      Object.values(resources).map(({ Type, Properties }) => ({ type: Type, properties: Properties })),
    )
    expect(alarms.get('concurrency')?.properties.Threshold).toBe(7)
    expect(alarmsOf(withEmail).get('charges')?.properties.Threshold).toBe(50)
    const [budget] = withEmail.filter(({ type }) => type === 'AWS::Budgets::Budget')
    expect(budget?.properties).toMatchObject({
      Budget: { BudgetLimit: { Amount: 50, Unit: 'USD' }, TimeUnit: 'MONTHLY' },
    })
  })

  it('of the bill exists only in the region that has its metric, and nothing depends on it', () => {
    const conditional = Object.entries(resources).filter(([, resource]) => resource.Condition)
    expect(conditional.map(([, { Properties }]) => Properties.MetricName)).toEqual(['EstimatedCharges'])
    const [id = ''] = conditional.map(([id]) => id)
    expect(Object.values(resources).filter(({ DependsOn }) => [DependsOn].flat().includes(id))).toEqual([])
  })

  it('do not exist in a disposable stage without an address for them', () => {
    const types = Object.values(synthesizeHere({ context: { disposable: 'true' } }).resources).map(
      ({ Type }) => Type,
    )
    expect(types).not.toContain('AWS::CloudWatch::Alarm')
    expect(types).not.toContain('AWS::CloudWatch::Dashboard')
  })
})

describe('the dashboard', () => {
  const [dashboard] = template.of('AWS::CloudWatch::Dashboard')
  const body = JSON.stringify(dashboard?.properties.DashboardBody)

  it('has a row each for readers, writers and subscribers', () => {
    expect([...body.matchAll(/# (Readers|Writers|Subscribers):/g)].map(([, row]) => row)).toEqual([
      'Readers',
      'Writers',
      'Subscribers',
    ])
  })

  it('shows every metric of the functions and every alarm about them', () => {
    for (const name of Object.keys(METRICS)) expect(body).toContain(`\\"${name}\\"`)
    for (const { id } of ALARMS.filter(({ row }) => row !== 'account')) expect(body).toContain(`\\"${id}\\"`)
  })
})

describe('infra/runbook.md', () => {
  it('is the text of the declaration; `npm test -- test/shape/runbook.test.ts -u` writes it', async () => {
    await expect(runbookText()).toMatchFileSnapshot('../../infra/runbook.md')
  })
})
