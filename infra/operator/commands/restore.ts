// The command that restores a stage to an earlier moment, into a table of its own: infra/restore.md.
import {
  DescribeTableCommand,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb'
import * as z from 'zod/mini'
import { isoTime, TimeInput } from '../../../shared/http/time.ts'
import { adoptTable } from '../adopt-table.ts'
import { type Context, command, flag, OperatorError, type Result, value } from '../command.ts'
import type { Target } from '../target.ts'

const TableName = z.string().check(z.regex(/^[A-Za-z0-9_.-]{3,255}$/, 'Must be the name of a table.'))

/** `from` is undefined if the old table is lost. */
type Restoration = { from: string | undefined; to: string; atSeconds: number }

export const restore = command({
  name: 'restore',
  summary:
    'Restore a stage to a moment of the last 35 days, into another table; --adopt makes that safe to use',
  details: `  Nothing changes for the stage until you put the new table into infra/stages.ts and deploy. --adopt raises the
  counters of ids above all that were given since, takes over the claims of deliveries and mails, and removes messages
  that were sent since. It may run again, also after the deployment. infra/restore.md has all steps.`,
  options: {
    to: value('TIME', 'the moment, such as 2026-11-01T12:00:00Z', TimeInput),
    as: value('TABLE', 'name of the new table', TableName),
    source: value('TABLE', 'the old table (default: that of the stage)', z.optional(TableName)),
    adopt: flag('the new table exists: make it safe to use'),
    lost: flag('with --adopt: the old table is deleted, so all messages of the moment count as sent'),
  },
  problemOf: ({ to, lost, adopt }, nowSeconds) => {
    if (to > nowSeconds) return '--to: Must be in the past.'
    return lost && !adopt ? '--lost: Pass --adopt as well.' : undefined
  },
  run: async ({ to: atSeconds, as, source, adopt, lost }, context) => {
    const { target } = context
    if (target.stateFolder !== undefined) {
      throw new OperatorError(
        'A local state is restored from a copy: infra/local/keeping.md. Pass --stage NAME.',
      )
    }
    const from = lost ? undefined : (source ?? target.tableName)
    if (from === as) throw new OperatorError(`${as} is the old table. Pass another one with --source.`)
    const restoration = { from, to: as, atSeconds }
    return adopt ? await adoptRestored(context, restoration) : await beginRestore(target, restoration)
  },
})

async function beginRestore({ dynamodb }: Target, { from, to, atSeconds }: Restoration): Promise<Result> {
  const at = isoTime(atSeconds)
  const input = { SourceTableName: from, TargetTableName: to, RestoreDateTime: new Date(atSeconds * 1000) }
  await dynamodb.send(new RestoreTableToPointInTimeCommand(input))
  return {
    lines: [
      `AWS restores ${from} to ${to}, as of ${at}, which takes minutes to hours. To wait for it:`,
      `aws dynamodb wait table-exists --table-name ${to}`,
      'Then run this again with --adopt.',
    ],
    json: { from, table: to, at },
  }
}

async function adoptRestored(context: Context, { from, to, atSeconds }: Restoration): Promise<Result> {
  const { target } = context
  if (from !== undefined && !(await describe(target, from))) {
    throw new OperatorError(
      `There is no table ${from}. If it was deleted, restore its last backup in AWS, and pass --lost.`,
    )
  }
  checkMoment(await describe(target, to), { to, atSeconds })
  const isInUse = target.tableName === to
  const report = await adoptTable({
    context: isInUse ? context : { ...context, target: target.withTable(to) },
    isInUse,
    old: from === undefined ? undefined : target.withTable(from),
    atMs: atSeconds * 1000,
  })
  return {
    lines: [
      `Ids continue after: ${Object.entries(report.counters)
        .map(pair => pair.join(' '))
        .join(', ')}.`,
      `Took over ${report.claims} claimed deliveries and mails, and ${report.refusals} addresses that refuse mail.`,
      `Removed ${report.sent} messages and ${report.bursts} batches of events that were sent, and ended ${report.replays} replays of deliveries.`,
      `Posts that were announced: ${report.announced.join(', ') || 'none'}.`,
      `To check the table: npm run operator -- doctor --repair --table ${to}`,
      `To switch, put  table: '${to}'  into the stage in infra/stages.ts and deploy it with -c traffic=at-once.`,
    ],
    json: { table: to, ...report },
  }
}

async function describe({ dynamodb }: Target, name: string): Promise<TableDescription | undefined> {
  try {
    return (await dynamodb.send(new DescribeTableCommand({ TableName: name }))).Table
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined
    throw error
  }
}

/** AWS rounds a moment to the second, and begins a backup some seconds after its time. */
const ROUNDED_SECONDS = 60

/** Throws unless the table is ready, and from this moment. Of a daily backup, AWS may not say the moment. */
function checkMoment(
  table: TableDescription | undefined,
  { to, atSeconds }: Omit<Restoration, 'from'>,
): void {
  const status = table?.TableStatus
  if (status !== 'ACTIVE') {
    throw new OperatorError(`The table ${to} is not ready: its status is ${status ?? 'missing'}.`)
  }
  const restoredMs = table?.RestoreSummary?.RestoreDateTime?.getTime()
  if (restoredMs === undefined || Math.abs(restoredMs / 1000 - atSeconds) <= ROUNDED_SECONDS) return
  throw new OperatorError(
    `${to} is from another moment: pass --to ${isoTime(Math.floor(restoredMs / 1000))}.`,
  )
}
