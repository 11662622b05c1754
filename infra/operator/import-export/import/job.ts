// The context of an import: where it writes, and the author of posts that name none.
import { listUsers } from '../../../../shared/accounts/store/users.ts'
import type { Change, UnitOfWork } from '../../../../shared/events/unit-of-work.ts'
import type { Table } from '../../../../shared/table/client.ts'
import { userByEmail } from '../../accounts.ts'
import { type Context, OperatorError, unitOfWorkOf } from '../../command.ts'
import type { Entry, Source } from '../sources/source.ts'
import { findSiteId, finishOrigin } from './origins.ts'

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

export async function openJob(context: Context, source: Source, options: ImportOptions) {
  const { table } = context.target
  const startedMs = performance.now()
  /** The time now: an import may take hours. */
  const nowMs = () => Math.floor(context.nowMs + performance.now() - startedMs)
  let author: Promise<number> | undefined
  let siteUrl: Promise<string> | undefined
  const siteId = await findSiteId(table)
  return {
    context,
    table,
    options,
    /** Whether the source is an export of this site, so that records may be here by their own ids. */
    isOwnSite: siteId !== undefined && source.name === `own:${siteId}`,
    /** The ids here of records of the source: `user:7`. */
    ids: new Map<string, number>(),
    nowMs,
    /** Its commits finish the reservation of the entry, if there is one. */
    work: (entry?: Entry): UnitOfWork => {
      const work = unitOfWorkOf({ ...context, nowMs: nowMs() })
      return {
        ...work,
        commit: (change, reply) => work.commit(changeOfImport(change, options, entry), reply),
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
