// The steps of `operator restore`, in their order. Each may be killed at any line, and repeated. They make
// the table, give it what AWS does not restore, and compare it with the old ones.
import { commitPublicly } from '../../../shared/feed/commit.ts'
import type { Table } from '../../../shared/table/client.ts'
import type { Context } from '../command.ts'
import { diagnose } from '../doctor/doctor.ts'
import type { Problem } from '../doctor/problem.ts'
import { copyClaims, copyMailClaims, copyRefusals } from './claims.ts'
import { fenceCounters } from './counters.ts'
import { checkOrigin } from './origin.ts'
import type { OldTable } from './partition.ts'
import { endReplays, noteAnnounced, removeSentRows } from './sent-events.ts'
import {
  copyTags,
  enableExpiry,
  enableRecovery,
  limitTable,
  protectFromDeletion,
  type TableSettings,
} from './table-settings.ts'
import { beginRestore, type Restoration, untilUsable } from './tables.ts'

export type RestoreJob = Restoration & {
  /** Works on the restored table. */
  context: Context
  /** The tables that gave ids and sent messages since the moment. Empty if they are lost. */
  olds: OldTable[]
  /** Another program has restored the table, so AWS may not know from when it is. */
  isAdopted: boolean
  /** The stage works on the restored table already, and announces its posts. */
  isInUse: boolean
  settings: TableSettings
}

export type RestoreReport = {
  isNew: boolean
  /** The last id of each counter that the restored table will not give again. */
  counters: Record<string, number>
  /** Deliveries that were claimed since. */
  claims: number
  /** Mails that were claimed since. */
  mails: number
  /** Addresses that refused mail since. */
  refusals: number
  /** Messages that were sent since, by queue. */
  sent: Record<string, number>
  /** Replays that went on since, and end: their rest was sent again. */
  replays: number
  /** Scheduled posts that were announced since. */
  announced: number[]
  items: number
  problems: Problem[]
}

export type RestoreStep = {
  name: string
  /** Adds its result to the report. */
  run: (job: RestoreJob, report: RestoreReport) => Promise<unknown>
}

function tablesOf(olds: OldTable[]): Table[] {
  return olds.map(({ table }) => table)
}

/** AWS restores no expiry, recovery, protection, ceiling or tag; no deployment changes an adopted table. */
export const RESTORE_STEPS: RestoreStep[] = [
  {
    name: 'restore the table',
    run: async (job, report) => {
      report.isNew = await beginRestore(job.context, job)
    },
  },
  {
    name: 'check the table',
    run: async job => checkOrigin(job, await untilUsable(job.context, job.to)),
  },
  {
    name: 'protect it from deletion',
    run: async ({ context, to, settings: { isProtected } }) =>
      isProtected && (await protectFromDeletion(context, to)),
  },
  {
    name: 'enable its recovery',
    run: async ({ context, to, settings: { isProtected } }) =>
      isProtected && (await enableRecovery(context, to)),
  },
  { name: 'enable its expiry', run: ({ context, to }) => enableExpiry(context, to) },
  {
    name: 'limit its units',
    run: ({ context, to, settings: { ceiling } }) => limitTable(context, to, ceiling),
  },
  { name: 'copy the tags', run: ({ context, from, to }) => copyTags(context, from, to) },
  {
    name: 'raise the id counters',
    run: async ({ context, olds, atSeconds }, report) => {
      report.counters = await fenceCounters(context.target.table, tablesOf(olds), atSeconds)
    },
  },
  {
    name: 'take over claims of deliveries',
    run: async ({ context, olds, atSeconds }, report) => {
      for (const { table } of olds) {
        report.claims += await copyClaims(context.target.table, table, atSeconds * 1000)
      }
    },
  },
  {
    name: 'take over claims of mails',
    run: async ({ context, olds, atSeconds }, report) => {
      for (const old of olds) {
        report.mails += await copyMailClaims(context.target.table, old, atSeconds * 1000)
      }
    },
  },
  {
    name: 'take over addresses that refuse mail',
    run: async ({ context, olds }, report) => {
      for (const { table } of olds) report.refusals += await copyRefusals(context.target.table, table)
    },
  },
  {
    name: 'remove sent messages',
    run: async ({ context, olds, atSeconds }, report) => {
      report.sent = await removeSentRows(context.target.table, tablesOf(olds), atSeconds * 1000)
    },
  },
  {
    name: 'end replays that went on',
    run: async ({ context: { target, nowMs }, olds, atSeconds }, report) => {
      report.replays = await endReplays(target.table, tablesOf(olds), { atMs: atSeconds * 1000, nowMs })
    },
  },
  {
    name: 'note announced posts',
    run: async ({ context, olds, isInUse }, report) => {
      if (!isInUse) report.announced = await noteAnnounced(context, tablesOf(olds))
    },
  },
  {
    // Builders pull everything again, and functions forget what they remember.
    name: 'tell copies of the content',
    run: ({ context }) =>
      commitPublicly(context.target.table, [], { raised: 'names', notes: [{ kind: 'all' }] }),
  },
  {
    name: 'check lists, index and locks',
    run: async ({ context }, report) => {
      const { items, problems } = await diagnose(context, true)
      Object.assign(report, { items, problems })
    },
  },
]

export async function runSteps(job: RestoreJob, steps: RestoreStep[]): Promise<RestoreReport> {
  const report: RestoreReport = {
    isNew: false,
    counters: {},
    claims: 0,
    mails: 0,
    refusals: 0,
    sent: {},
    replays: 0,
    announced: [],
    items: 0,
    problems: [],
  }
  for (const { name, run } of steps) {
    job.context.progress.show(`Next step: ${name}`)
    await run(job, report)
  }
  return report
}
