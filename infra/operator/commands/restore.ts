// The command that restores a stage to an earlier moment, into a table of its own.
import * as z from 'zod/mini'
import { isoTime, TimeInput } from '../../../shared/http/time.ts'
import { command, flag, value } from '../command.ts'
import { lineOf } from '../doctor/problem.ts'
import { OperatorError } from '../operator-error.ts'
import { RESTORE_STEPS, type RestoreReport, runSteps } from '../restore/steps.ts'
import { tableSettingsOf } from '../restore/table-settings.ts'
import { describeTable } from '../restore/tables.ts'
import type { Target } from '../target.ts'

const TableName = z.string().check(z.regex(/^[A-Za-z0-9_.-]{3,255}$/, 'Must be the name of a table.'))

const restore = command({
  name: 'restore',
  summary: 'Restore a stage to a moment of the last 35 days, into another table, and make that safe to use',
  details: `  It restores, protects the new table as the template would, raises the counters of ids above all that were given
  since, takes over the claims of deliveries and mails, removes messages that were sent since, and runs the doctor.
  Nothing changes for the stage until you put the new table into infra/stages.ts and deploy. Interrupted, or run
  again after the deployment, it continues. infra/restore.md has all steps.`,
  options: {
    to: value('TIME', 'the moment, such as 2026-11-01T12:00:00Z', TimeInput),
    as: value(
      'TABLE',
      'name of the new table (default: that of the old one, with the moment)',
      z.optional(TableName),
    ),
    source: value('TABLE', 'table to restore from (default: that of the stage)', z.optional(TableName)),
    adopt: flag('the table of --as exists: AWS Backup restored it, from a backup of the moment'),
    lost: flag('the old table is deleted, so all messages count as sent; the table of --as exists'),
  },
  problemOf: ({ to, as, lost, adopt }, nowSeconds) => {
    if (to > nowSeconds) return '--to: Must be in the past.'
    const option = adopt ? '--adopt' : '--lost'
    return (lost || adopt) && as === undefined ? `${option}: Pass --as TABLE as well.` : undefined
  },
  run: async ({ to: atSeconds, as, source, adopt, lost }, context) => {
    const { target } = context
    if (target.stateFolder !== undefined) {
      throw new OperatorError(
        'A local state is restored from a copy: infra/local/keeping.md. Pass --stage NAME.',
      )
    }
    const from = source ?? target.tableName
    const to = as ?? `${from}-${isoTime(atSeconds).slice(0, 19).replace(/\D/g, '')}`
    // A stage that has been restored to another moment gave ids and sent messages, too.
    const olds = lost ? [] : [...new Set([from, target.tableName])].filter(name => name !== to)
    await checkTables({ target, from, to, olds, isLost: lost, isAdopted: adopt })
    const isInUse = target.tableName === to
    const job = {
      context: isInUse ? context : { ...context, target: target.withTable(to) },
      from,
      to,
      atSeconds,
      olds: olds.map(target.withTable),
      isAdopted: adopt,
      isInUse,
      settings: tableSettingsOf(target.stage),
    }
    const { problems, isNew, items, ...fenced } = await runSteps(job, RESTORE_STEPS)
    const left = problems.filter(({ isRepaired, isQueued }) => !isRepaired && !isQueued)
    return {
      lines: [
        `${isNew ? `Restored ${from} to` : `Continued with`} ${to}, as of ${isoTime(atSeconds)}: ${items} items.`,
        ...linesOf(fenced),
        ...left.map(lineOf),
        `Repaired: ${problems.filter(({ isRepaired }) => isRepaired).length}. Not repaired: ${left.length}.`,
        ...(job.isInUse ? [] : nextLines({ from, to, lost })),
      ],
      json: {
        from,
        table: to,
        at: isoTime(atSeconds),
        is_new: isNew,
        items,
        ...fenced,
        not_repaired: left.length,
      },
      failed: left.length > 0,
    }
  },
})

type Tables = {
  target: Target
  from: string
  to: string
  olds: string[]
  isLost: boolean
  isAdopted: boolean
}

/** Throws OperatorError before anything is changed. */
async function checkTables({ target, from, to, olds, isLost, isAdopted }: Tables): Promise<void> {
  if (from === to && !isLost) {
    throw new OperatorError(
      `${to} is the table to restore from. Pass it with --as, and the old one with --source.`,
    )
  }
  for (const name of olds) {
    if (await describeTable(target, name)) continue
    throw new OperatorError(
      `There is no table ${name}. If it was deleted, restore its last backup in AWS, and pass --as TABLE --lost.`,
    )
  }
  if ((isLost || isAdopted) && !(await describeTable(target, to))) {
    throw new OperatorError(`There is no table ${to}. Restore a backup to it in AWS first.`)
  }
}

function nextLines({ from, to, lost }: { from: string; to: string; lost: boolean }): string[] {
  const first = `To switch, put  table: '${to}'  into the stage in infra/stages.ts and deploy it with --allow -c traffic=at-once.`
  if (lost) return [first]
  return [
    `${first} Then run this again`,
    `with --source ${from} --as ${to}, for what has happened until the switch. ${from} is kept.`,
  ]
}

type Fenced = Pick<
  RestoreReport,
  'counters' | 'claims' | 'mails' | 'refusals' | 'sent' | 'replays' | 'announced'
>

function linesOf({ counters, claims, mails, refusals, sent, replays, announced }: Fenced): string[] {
  const ids = Object.entries(counters).map(([name, last]) => `${name} ${last}`)
  const messages = Object.entries(sent).map(([queue, count]) => `${queue} ${count}`)
  return [
    `Ids continue after: ${ids.join(', ')}.`,
    `Took over ${claims} claimed deliveries, ${mails} claimed mails, and ${refusals} addresses that refuse mail.`,
    `Removed messages that were sent: ${messages.join(', ') || 'none'}.`,
    `Ended replays of deliveries that went on: ${replays}.`,
    `Posts that were announced: ${announced.join(', ') || 'none'}.`,
  ]
}

export const RESTORE_COMMANDS = [restore]
