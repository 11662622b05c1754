// The context of an import: where it writes, what it was asked to do, and the ids that records got so far.
import { createHash } from 'node:crypto'
import { listUsers } from '../../../../shared/accounts/store/users.ts'
import type { UnitOfWork } from '../../../../shared/events/unit-of-work.ts'
import type { Origin } from '../../../../shared/imports/origins.ts'
import { type Import, isReserved } from '../../../../shared/imports/reserved-ids.ts'
import type { Table } from '../../../../shared/table/client.ts'
import type { Counter } from '../../../../shared/table/kinds.ts'
import { nextId } from '../../../../shared/table/next-id.ts'
import type { Context } from '../../command.ts'
import { userByEmail } from '../../find-account.ts'
import { OperatorError } from '../../operator-error.ts'
import { unitOfWorkOf } from '../../unit-of-work.ts'
import { LARGEST_ID } from '../format.ts'
import type { Item, Source } from '../item.ts'
import type { Report } from './report.ts'

export type ImportOptions = {
  dryRun: boolean
  update: boolean
  events: 'none' | 'all'
  /** The address of the author of posts that name none. */
  author: string | undefined
}

export type ImportJob = {
  context: Context
  table: Table
  options: ImportOptions
  source: Source
  report: Report
  /** The ids here, by the keys of the source. */
  ids: Map<string, number>
  /** The ids that it may give. */
  reserved: Import
  /** The time now: an import may take hours. */
  nowMs: () => number
  work: () => UnitOfWork
  defaultAuthor: () => Promise<number>
  /** The size of the last transaction. */
  actionsOfLast: () => number
}

/** An action list that is too long for a transaction. */
export class TooManyActions extends Error {
  readonly count: number

  constructor(count: number) {
    super(`A transaction of ${count} actions`)
    this.count = count
  }
}

/** Of one transaction. */
export const MAX_ACTIONS = 100

type JobParts = Pick<ImportJob, 'options' | 'source' | 'report' | 'reserved'>

export function openJob(context: Context, parts: JobParts): ImportJob {
  const { target } = context
  let actionsOfLast = 0
  const transact: Table['transact'] = async (actions, ...more) => {
    actionsOfLast = actions.length
    if (actions.length > MAX_ACTIONS) throw new TooManyActions(actions.length)
    await target.table.transact(actions, ...more)
  }
  const table: Table = { ...target.table, transact }
  const startedMs = performance.now()
  const nowMs = () => Math.floor(context.nowMs + performance.now() - startedMs)
  let author: Promise<number> | undefined
  let siteUrl: Promise<string> | undefined
  return {
    ...parts,
    context,
    table,
    ids: new Map(),
    actionsOfLast: () => actionsOfLast,
    nowMs,
    work: () => {
      const work = unitOfWorkOf({ ...context, target: { ...target, table }, nowMs: nowMs() })
      if (parts.options.events !== 'none') return work
      const commit: UnitOfWork['commit'] = (change, reply) => work.commit({ ...change, events: [] }, reply)
      // Only events contain it: reading it for each transaction would be a round trip more.
      const readOnce = () => {
        siteUrl ??= work.siteUrl()
        return siteUrl
      }
      return { ...work, commit, siteUrl: readOnce }
    },
    defaultAuthor: () => {
      author ??= findDefaultAuthor(table, parts.options.author)
      return author
    },
  }
}

async function findDefaultAuthor(table: Table, email: string | undefined): Promise<number> {
  if (email !== undefined) return (await userByEmail(table, email)).id
  const [first] = (await listUsers(table, 1, 1)).items
  if (first) return first.id
  throw new OperatorError('No account could be the author of the posts. Create one first: user create')
}

/** The id that the item should keep, if that is free, else a new one. */
export async function idFor(
  { table, reserved }: ImportJob,
  counter: Counter,
  wanted: number | undefined,
): Promise<number> {
  return isFree(reserved, counter, wanted) ? wanted : await nextId(table, counter)
}

export function isFree(reserved: Import, counter: Counter, id: number | undefined): id is number {
  return id !== undefined && id <= LARGEST_ID && isReserved(reserved, counter, id)
}

export function originNameOf({ source }: ImportJob, { key }: Item): string {
  return `${source.name} ${key}`
}

export function originOf(job: ImportJob, item: Item, id: number): Origin {
  return { name: originNameOf(job, item), id, digest: digestOf(item) }
}

/** Of what the source says of the record. */
export function digestOf({ notes: _, label: __, ...members }: Item): string {
  return createHash('sha256').update(JSON.stringify(members)).digest('hex').slice(0, 32)
}

/** The id here of an item that was named by its key; undefined if it was not imported. */
export function idOf({ ids }: ImportJob, key: string): number | undefined {
  return ids.get(key)
}
