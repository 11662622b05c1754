// The context of an import: where it writes, what it was asked to do, and the ids that records got so far.
import { listUsers } from '../../../../shared/accounts/store/users.ts'
import type { Message } from '../../../../shared/events/message.ts'
import type { Change, UnitOfWork } from '../../../../shared/events/unit-of-work.ts'
import type { Table } from '../../../../shared/table/client.ts'
import type { Key } from '../../../../shared/table/design.ts'
import type { Counter } from '../../../../shared/table/kinds.ts'
import { userByEmail } from '../../accounts.ts'
import type { Context } from '../../command.ts'
import { OperatorError, unitOfWorkOf } from '../../command.ts'
import type { ExportRecord, RecordType } from '../format.ts'
import type { Entry, Source } from '../sources/source.ts'
import { findSiteId, finishOrigin, type Origin } from './origins.ts'

export type ImportOptions = {
  dryRun: boolean
  update: boolean
  events: 'none' | 'all'
  /** The address of the author of posts that name none. */
  author: string | undefined
  /** Makes the account of posts that name no author, if there is none at all. */
  createAuthor?: () => Promise<number>
}

export type Outcome = 'made' | 'updated' | 'skipped' | 'wrong'

export type ReportLine = {
  outcome: Outcome
  kind: string
  id?: number | undefined
  label: string
  /** Why it was skipped, or what of it did not fit. */
  reason?: string | undefined
}

/** What an import did with each record, and the paths here of public posts by their old addresses. */
export type Report = { lines: ReportLine[]; redirects: Map<string, string> }

export type ImportJob = {
  context: Context
  table: Table
  options: ImportOptions
  report: Report
  /** The name of the source. */
  source: string
  /** Whether the source is an export of this site, so that records may be here by their own ids. */
  isOwnSite: boolean
  /** The ids here of records of the source: `user:7`. */
  ids: Map<string, number>
  /** The time now: an import may take hours. */
  nowMs: () => number
  /** Its commits finish the reservation of the record, if there is one. */
  work: (origin?: Origin) => UnitOfWork
  defaultAuthor: () => Promise<number>
}

/** Thrown for a record that cannot be imported for a reason that is no mistake. */
export class Skip extends Error {}

/** How records of one type are imported. These are methods, so that one for a type is one for any. */
export type Writer<Record extends ExportRecord = ExportRecord> = {
  counter?: Counter
  /** Of the record with its own id, by which the own export of this site is recognised. */
  keyOf(record: Record): Key
  /** A record that is here already and takes the place of this one. */
  find?(job: ImportJob, record: Record): Promise<{ id: number; reason: string } | undefined>
  /**
   * Commits the record by `work`, and adds to the notes what of it did not fit. Runs again after a conflict.
   * Throws Skip, and VALIDATION_ERROR.
   */
  create(job: ImportJob, entry: Entry<Record>, id: number, work: UnitOfWork): Promise<void>
  /** Throws NOT_FOUND if it is not here any more. Undefined: never updated. */
  update?(job: ImportJob, entry: Entry<Record>, id: number): Promise<void>
}

export async function openJob(context: Context, source: Source, options: ImportOptions): Promise<ImportJob> {
  const { table } = context.target
  const startedMs = performance.now()
  const nowMs = () => Math.floor(context.nowMs + performance.now() - startedMs)
  let author: Promise<number> | undefined
  let siteUrl: Promise<string> | undefined
  return {
    context,
    table,
    options,
    source: source.name,
    isOwnSite: source.site !== undefined && source.site === (await findSiteId(table)),
    report: { lines: [], redirects: new Map() },
    ids: new Map(),
    nowMs,
    work: origin => {
      const work = unitOfWorkOf({ ...context, nowMs: nowMs() })
      return {
        ...work,
        commit: (change, reply) => work.commit(changeOfImport(change, options, origin), reply),
        // Only events contain it: reading it for each transaction would be a round trip more.
        siteUrl: () => {
          siteUrl ??= work.siteUrl()
          return siteUrl
        },
      }
    },
    defaultAuthor: () => {
      author ??= findDefaultAuthor(table, options)
      return author
    },
  }
}

/** Without messages to the index worker: the import merges many posts at a time itself. */
function changeOfImport(
  { events = [], messages = [], actions, prepared, ...change }: Change,
  options: ImportOptions,
  origin: Origin | undefined,
): Change {
  const withoutIndex = (all: Message[]) => all.filter(({ queue }) => queue !== 'index')
  return {
    ...change,
    actions: origin ? [finishOrigin(origin), ...actions] : actions,
    events: options.events === 'all' ? events : [],
    messages: withoutIndex(messages),
    ...(prepared && {
      prepared: prepared.then(more => ({ ...more, messages: withoutIndex(more.messages) })),
    }),
  }
}

async function findDefaultAuthor(table: Table, { author, createAuthor }: ImportOptions): Promise<number> {
  if (author !== undefined) return (await userByEmail(table, author)).id
  const [first] = (await listUsers(table, 1, 1)).items
  if (first) return first.id
  if (createAuthor) return await createAuthor()
  throw new OperatorError('No account could be the author of the posts. Create one first: user create')
}

/** The id here of a record of the source. Throws Skip. */
export function idOf({ ids }: ImportJob, type: RecordType, id: number, missing: string): number {
  const here = ids.get(`${type}:${id}`)
  if (here === undefined) throw new Skip(missing)
  return here
}
