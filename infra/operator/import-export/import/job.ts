// The context of an import, and what it and an export know of a kind of records.
import type * as z from 'zod/mini'
import { listUsers } from '../../../../shared/accounts/store/users.ts'
import type { Change, UnitOfWork } from '../../../../shared/events/unit-of-work.ts'
import { findById, type Table } from '../../../../shared/table/client.ts'
import type { Item, Key } from '../../../../shared/table/design.ts'
import type { Counter } from '../../../../shared/table/kinds.ts'
import { userByEmail } from '../../accounts.ts'
import { type Context, OperatorError, unitOfWorkOf } from '../../command.ts'
import type { ExportRecord, RecordType } from '../format.ts'
import { type Entry, Skip, type Source } from '../sources/source.ts'
import { findSiteId, finishOrigin } from './origins.ts'

/** `create` and the like are methods, so that the kind of one type is one of any. */
export type Kind<Record extends ExportRecord = ExportRecord> = {
  type: Record['type']
  /** Gives the ids; undefined for records without ids, which an export reads at once. */
  counter?: Counter
  /** Gives the ids of what contains the records: an export reads those of tickets. */
  within?: Counter
  /** The records with these ids, or in what has these ids, in order. Missing ones are left out. */
  read: (table: Table, ids: number[], withPasswords: boolean) => Promise<object[]>
  /** The item that only one record can have, such as the lock of a slug. */
  lock?(record: Record): Key
  /** The record that has the lock. `id` is 0 if references to the imported record do not mean that one. */
  ownerOf?(lock: Item): { id: number; reason: string }
  /**
   * Commits the record by `work`, and adds to the notes what of it did not fit: some of it again when it runs
   * again after a conflict. Throws Skip, and VALIDATION_ERROR.
   */
  create(job: ImportJob, entry: Entry<Record>, id: number, work: UnitOfWork): Promise<void>
  /** Throws NOT_FOUND if it is not here any more. Undefined: never updated. */
  update?(job: ImportJob, entry: Entry<Record>, id: number): Promise<void>
}

export type ImportContext = Pick<Context, 'target' | 'nowMs' | 'progress'>
export type ImportOptions = {
  dryRun?: boolean
  update?: boolean
  events?: 'none' | 'all'
  /** The address of the author of posts that name none. */
  author?: string | undefined
  /** Makes the account of posts that name no author, if there is none at all. */
  createAuthor?: () => Promise<number>
}
export type ImportJob = Awaited<ReturnType<typeof openJob>>

export async function openJob(context: ImportContext, source: Source, options: ImportOptions) {
  const { target, progress } = context
  const { table } = target
  const startedMs = performance.now()
  /** The time now: an import may take hours. */
  const nowMs = () => Math.floor(context.nowMs + performance.now() - startedMs)
  let author: Promise<number> | undefined
  const siteId = await findSiteId(table)
  return {
    target,
    progress,
    table,
    options,
    /** Whether the source is an export of this site, so that records may be here by their own ids. */
    isOwnSite: siteId !== undefined && source.name === `own:${siteId}`,
    /** The ids here of records of the source: `user:7`. */
    ids: new Map<string, number>(),
    nowMs,
    /** Its commits finish the reservation of the entry, if there is one. */
    work: (entry?: Entry): UnitOfWork => {
      const work = unitOfWorkOf({ target, nowMs: nowMs() })
      const commit: UnitOfWork['commit'] = (change, reply) =>
        work.commit(changeOfImport(change, options, entry), reply)
      return { ...work, commit }
    },
    defaultAuthor: () => {
      author ??= findDefaultAuthor(table, options)
      return author
    },
  }
}

function changeOfImport(change: Change, { events }: ImportOptions, entry: Entry | undefined): Change {
  const { actions, prepared } = change
  return {
    ...change,
    actions: entry ? [finishOrigin(entry), ...actions] : actions,
    events: events === 'all' ? (change.events ?? []) : [],
    // Without the message to the index worker: the import merges many posts at a time itself.
    ...(prepared && { prepared: prepared.then(more => ({ ...more, messages: [] })) }),
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

/** The records with these keys, in the order of their ids. */
export async function findRecords<T extends { id: number }>(
  table: Table,
  keys: Key[],
  schema: z.ZodMiniType<T>,
): Promise<T[]> {
  return [...(await findById(table, keys, schema)).values()].sort((a, b) => a.id - b.id)
}
