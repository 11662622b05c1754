// The command that restores a stage to an earlier moment, into a table of its own.
import * as z from 'zod/mini'
import { isoTime, TimeInput } from '../../../shared/http/time.ts'
import { command, flag, value } from '../command.ts'
import { diagnose } from '../doctor/doctor.ts'
import { lineOf } from '../doctor/problem.ts'
import { OperatorError } from '../operator-error.ts'
import { type Fenced, fence } from '../restore/fence.ts'
import { protectTable, restoreTable, statusOf } from '../restore/tables.ts'

const TableName = z.string().check(z.regex(/^[A-Za-z0-9_.-]{3,255}$/, 'Must be the name of a table.'))

const restore = command({
  name: 'restore',
  summary: 'Restore a stage to a moment of the last 35 days, into another table, and make that safe to use',
  details: `  It restores, raises the counters of ids above all that were given since, takes over the claims of deliveries,
  removes messages that were sent since, and runs the doctor. Nothing changes for the stage until you put the new table
  into infra/stages.ts and deploy. Interrupted, or run again after the deployment, it continues. infra/restore.md has
  all steps.`,
  options: {
    to: value('TIME', 'the moment, such as 2026-11-01T12:00:00Z', TimeInput),
    as: value(
      'TABLE',
      'name of the new table (default: that of the old one, with the moment)',
      z.optional(TableName),
    ),
    source: value('TABLE', 'table to restore from (default: that of the stage)', z.optional(TableName)),
    lost: flag(
      'the old table is gone: without it, all messages count as sent; needs --as, a table that exists',
    ),
  },
  problemOf: ({ to, as, lost }, nowSeconds) => {
    if (to > nowSeconds) return '--to: Must be in the past.'
    return lost && as === undefined ? '--lost: Pass --as TABLE as well.' : undefined
  },
  run: async ({ to: atSeconds, as, source, lost }, context) => {
    const { target } = context
    if (target.stateFolder !== undefined) {
      throw new OperatorError(
        'A local state is restored from a copy: infra/local/keeping.md. Pass --stage NAME.',
      )
    }
    const from = source ?? target.tableName
    const to = as ?? `${from}-${isoTime(atSeconds).slice(0, 19).replace(/\D/g, '')}`
    if (from === to) {
      throw new OperatorError(
        `${to} is the table to restore from. Pass it with --as, and the old one with --source.`,
      )
    }
    if (!lost && (await statusOf(target, from)) === undefined) {
      throw new OperatorError(
        `There is no table ${from}. If it was deleted, restore its last backup in AWS, and pass --as TABLE --lost.`,
      )
    }
    const { isNew } = await restoreTable(context, { from, to, atSeconds })
    await protectTable(context, to)
    const restored = { ...context, target: target.withTable(to) }
    const fenced = await fence(restored, lost ? undefined : target.withTable(from).table, atSeconds * 1000)
    const { problems, items } = await diagnose(restored, true)
    const left = problems.filter(({ isRepaired, isQueued }) => !isRepaired && !isQueued)
    return {
      lines: [
        `${isNew ? `Restored ${from} to` : `Continued with`} ${to}, as of ${isoTime(atSeconds)}: ${items} items.`,
        ...linesOf(fenced),
        ...left.map(lineOf),
        `Repaired: ${problems.filter(({ isRepaired }) => isRepaired).length}. Not repaired: ${left.length}.`,
        `To switch, put  table: '${to}'  into the stage in infra/stages.ts and deploy it with --allow. Then run this again`,
        `with --source ${from} --as ${to}, for what has happened until the switch. ${from} is kept.`,
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

function linesOf({ counters, claims, sent, announced }: Fenced): string[] {
  const ids = Object.entries(counters).map(([name, last]) => `${name} ${last}`)
  const messages = Object.entries(sent).map(([queue, count]) => `${queue} ${count}`)
  return [
    `Ids continue after: ${ids.join(', ')}.`,
    `Took over ${claims} claimed deliveries. Removed messages that were sent: ${messages.join(', ') || 'none'}.`,
    `Posts that were announced: ${announced.join(', ') || 'none'}.`,
  ]
}

export const RESTORE_COMMANDS = [restore]
