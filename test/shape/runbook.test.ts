// Checks that alarms, dashboard and runbook say the same, as declared once; writes the runbook.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { ALARMS } from '../../infra/alarms.ts'
import { METRICS } from '../../shared/metrics/metrics.ts'
import { synthesizeHere } from './synthesized-here.ts'

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

function synthesizeWith(context: Record<string, string>) {
  const { resources } = synthesizeHere({ context })
  return Object.entries(resources).map(([id, { Type, Properties }]) => ({
    id,
    type: Type,
    properties: Properties,
  }))
}
const alarmEmail = 'owner@example.com'
const usual = synthesizeWith({ alarmEmail })
const withAll = synthesizeWith({
  alarmEmail,
  monthlyBudgetUsd: '50',
  backupDays: '365',
  mailSender: 'content@example.com',
})
const withoutEmail = synthesizeWith({ alarmEmail: 'none' })

describe('the alarms of the stack', () => {
  it('are those that are declared, but for mails and backups where the stage has none', () => {
    const declared = ALARMS.map(({ id }) => id)
    expect([...alarmsOf(usual).keys()]).toEqual(
      declared.filter(id => id !== 'mail-bounces' && id !== 'backups'),
    )
    expect([...alarmsOf(withAll).keys()]).toEqual(declared)
  })

  it('say what they mean, and the first command with the names of the stage', () => {
    for (const [id, { text }] of alarmsOf(withAll)) {
      const declared = ALARMS.find(alarm => alarm.id === id)
      expect(text.startsWith(`${declared?.means.replaceAll('STAGE', `\${Stage}`)}\nFirst: `)).toBe(true)
      expect(text).not.toMatch(/STAGE/)
    }
    expect(alarmsOf(withAll).get('server-errors')?.text).toContain(
      'aws logs tail $' + '{AWS::StackName}/access',
    )
    const groups = usual.filter(({ type }) => type === 'AWS::Logs::LogGroup')
    expect(JSON.stringify(groups)).toContain('{"Ref":"AWS::StackName"},"access"')
  })

  it('write to one topic, when they begin and when they are over, and only over TLS', () => {
    // The notices of SES have a topic of their own.
    const of = (type: string) =>
      withAll.filter(({ id, type: itsType }) => itsType === type && id.startsWith('Alarms'))
    const [topic, ...others] = of('AWS::SNS::Topic')
    expect(others).toEqual([])
    const action = [{ Ref: topic?.id }]
    for (const { properties } of alarmsOf(withAll).values()) {
      expect([properties.AlarmActions, properties.OKActions]).toEqual([action, action])
    }
    const [policy] = of('AWS::SNS::TopicPolicy')
    expect(JSON.stringify(policy)).toContain('"aws:SecureTransport":"false"')
    expect(JSON.stringify(policy)).toContain('cloudwatch.amazonaws.com')
    expect(of('AWS::SNS::Subscription')).toMatchObject([{ properties: { Endpoint: alarmEmail } }])
  })

  it('do not begin while a stage is created: a missing sweep has no data yet, and then gives notice', () => {
    const { properties } = alarmsOf(usual).get('sweep-missing') ?? {}
    expect(properties?.TreatMissingData).toBe('missing')
    expect(properties?.InsufficientDataActions).toEqual(properties?.AlarmActions)
  })

  it('do not exist without an address, nor does the dashboard', () => {
    const types = withoutEmail.map(({ type }) => type)
    expect(types.filter(type => type.startsWith('AWS::CloudWatch') || type.startsWith('AWS::SNS'))).toEqual(
      [],
    )
  })

  it('and a stage need no key: only backups have one', () => {
    expect(usual.filter(({ type }) => type === 'AWS::KMS::Key')).toEqual([])
    expect(withAll.filter(({ type }) => type === 'AWS::KMS::Key').map(({ id }) => id)).toEqual([
      expect.stringMatching(/^Backups/),
    ])
  })
})

describe('the budget', () => {
  it('exists with an amount', () => {
    const of = (resources: typeof usual) => resources.filter(({ type }) => type === 'AWS::Budgets::Budget')
    expect(of(usual)).toEqual([])
    expect(of(withAll)).toMatchObject([
      { properties: { Budget: { BudgetLimit: { Amount: 50, Unit: 'USD' }, TimeUnit: 'MONTHLY' } } },
    ])
  })
})

describe('the dashboard', () => {
  const [dashboard] = usual.filter(({ type }) => type === 'AWS::CloudWatch::Dashboard')
  const body = JSON.stringify(dashboard?.properties.DashboardBody)

  it('has six graphs, with every metric of the functions', () => {
    expect(body.match(/\\"type\\":\\"metric\\"/g)).toHaveLength(6)
    for (const name of Object.keys(METRICS)) expect(body).toContain(`\\"${name}\\"`)
  })
})

const HEAD = `# Runbook

Every alarm of a stage: its meaning, and the first command to type. The mail of an alarm has both with the names of the stage, and another
mail says when it is over. Here, STAGE is the name of the stage. The commands need version 2 of the AWS CLI. The stack's
[dashboard](dashboard.ts) shows the metrics. To change this page, change the [declaration](alarms.ts), and run
\`npm test -- test/shape/runbook.test.ts -u\`.

If it began with a deployment, go back to the version before it ([upgrade](keeping.md#upgrade)); with \`traffic\`, \`server-errors\` takes a
release back by itself. If data is wrong, stop the writes first: \`npm run operator -- settings set maintenance.enabled true --stage STAGE\`,
and then [restore](restore.md#restore). If a key leaked, [rotate it](keys.md#rotate-a-key).

Logs are JSON: a line a request, a mail and a delivery, without addresses and bodies. The groups are \`ContentService-STAGE/access\` for the
gateway, and \`ContentService-STAGE/NAME\` for each function of [functions/](../functions/README.md). To follow one request, take the
\`X-Request-Id\` of its answer, here ID. It is in the lines of the gateway and of the functions, and in the event and its delivery:

\`\`\`
for group in $(aws logs describe-log-groups --log-group-name-prefix ContentService-STAGE/ \\
  --query 'logGroups[].logGroupName' --output text)
do aws logs tail "$group" --since 1d --filter-pattern '"ID"'; done
\`\`\`
`

function runbookText(): string {
  const lines = ALARMS.map(({ id, means, firstCommand }) => `- **${id}**: ${means}\n  \`${firstCommand}\``)
  const metrics = Object.entries(METRICS).map(([name, { text }]) => `| \`${name}\` | ${text} |`)
  return [
    HEAD,
    '## Alarms',
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
