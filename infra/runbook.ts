// Writes infra/runbook.md from the declared alarms; test/shape/runbook.test.ts compares the file with it.
import { METRICS } from '../shared/metrics/metrics.ts'
import { ALARMS } from '../shared/service/alarms.ts'

const HEAD = `# Runbook

Every alarm of a stage: its meaning, and the first command to type. The mail of an alarm has both with the names of the stage, and another
mail says when it is over. Here, STAGE is the stage, URL the address of the service, TOKEN an admin token (\`token create\` of the
[operator](operator/README.md)). The commands need version 2 of the AWS CLI. The [dashboard](dashboard.ts) with the name of the stack has six
graphs. Change the [declaration](../shared/service/alarms.ts), and then run \`npm test -- test/shape/runbook.test.ts -u\`.

If it began with a deployment, go back to the version before it ([upgrade](keeping.md#upgrade)); with \`traffic\`, \`server-errors\` takes a
release back by itself. If data is wrong, stop the writes first: \`npm run operator -- settings set maintenance.enabled true --stage STAGE\`,
and then [restore](restore.md#restore). If a key leaked, [rotate it](keys.md#rotate-a-key).

Logs are JSON: a line a request, a mail and a delivery, without addresses and bodies. The groups are \`ContentService-STAGE/access\` for the
gateway, and \`ContentService-STAGE/NAME\` for each function of [functions/](../functions/README.md). To follow one request, take the
\`X-Request-Id\` of its answer, here ID. It is in the lines of the gateway and of the functions, and in the event and its delivery:
\`for group in $(aws logs describe-log-groups --log-group-name-prefix ContentService-STAGE/ --query 'logGroups[].logGroupName' --output text); do aws logs tail "$group" --since 1d --filter-pattern '"ID"'; done\`
`

export function runbookText(): string {
  const lines = ALARMS.map(
    ({ id, means, firstCommand }) => `| \`${id}\` | ${means} | \`${firstCommand.replaceAll('|', '\\|')}\` |`,
  )
  const metrics = Object.entries(METRICS).map(([name, { text }]) => `| \`${name}\` | ${text} |`)
  return [
    HEAD,
    '## Alarms',
    '',
    '| alarm | meaning | first command |',
    '|---|---|---|',
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
