// Writes infra/runbook.md from the declared alarms; test/shape/runbook.test.ts compares the file with it.
import { METRICS } from '../shared/metrics/metrics.ts'
import { ALARMS, type Alarm } from '../shared/service/alarms.ts'

const ROWS: Record<Alarm['row'], string> = {
  readers: 'Readers',
  writers: 'Writers',
  subscribers: 'Subscribers',
  account: 'The account',
}

function rollingBack(): string {
  const names = ALARMS.flatMap(({ id, rollsBack }) => (rollsBack ? `\`${id}\`` : []))
  return names.join(', ').replace(/, ([^,]+)$/, ' and $1')
}

const HEAD = `# Runbook

Every alarm of a stage: its meaning, and the first command to type. The mail of an alarm has both with the names of the stage;
here, STAGE is the stage, URL the address of the service, TOKEN an admin token (\`token create\` of the [operator](operator/README.md)). The [dashboard](dashboard.ts) with the name of the stack has
a row each for readers, writers and subscribers. The commands need version 2 of the AWS CLI, because version 1 has no \`logs tail\`. Change the [declaration](../shared/service/alarms.ts), and then run
\`npm test -- test/shape/runbook.test.ts -u\`.

While a release is deployed, ${rollingBack()} take it back by themselves. If it began with a deployment, go back to the version before it ([upgrade](keeping.md#upgrade)). If data is wrong, stop the writes first: \`npm run operator -- settings set maintenance.enabled true --stage STAGE\`,
and then [restore](restore.md#restore). If a key leaked, [rotate it](keys.md#rotate-a-key).

To follow one request, take the \`X-Request-Id\` of its answer, here ID. It is in the line of the gateway, in those of the functions, and in the event and its delivery (\`webhooks deliveries\` of the operator, with \`--json\`):
\`for group in $(aws logs describe-log-groups --log-group-name-prefix ContentService-STAGE- --query 'logGroups[].logGroupName' --output text); do aws logs tail "$group" --since 1d --filter-pattern '"ID"'; done\`
`

export function runbookText(): string {
  return [HEAD, ...Object.entries(ROWS).map(([row, title]) => sectionOf(row, title))].join('\n')
}

function sectionOf(row: string, title: string): string {
  const alarms = ALARMS.filter(alarm => alarm.row === row)
  const lines = alarms.map(
    ({ id, means, firstCommand }) => `| \`${id}\` | ${means} | \`${firstCommand.replaceAll('|', '\\|')}\` |`,
  )
  const table = [`## ${title}`, '', '| alarm | meaning | first command |', '|---|---|---|', ...lines, '']
  const metrics = Object.entries(METRICS).flatMap(([name, metric]) =>
    metric.row === row ? [`\`${name}\``] : [],
  )
  const others = [`[Metrics](../shared/metrics/metrics.ts) on the dashboard: ${metrics.join(', ')}.`, '']
  return [...table, ...(metrics.length > 0 ? others : [])].join('\n')
}
