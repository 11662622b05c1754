// The doctor: scans the table once, then checks lists, suspected records and everything that is counted.
import { commitPublicly } from '../../../shared/feed/commit.ts'
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Context } from '../command.ts'
import { RECORD_TYPES } from '../record-types.ts'
import { scan } from '../scan.ts'
import { checkParts, checkReferences } from './blobs.ts'
import { checkCategoryTotals } from './category-totals.ts'
import { checkRecord, type Suspect } from './check-record.ts'
import { keyText } from './expected-items.ts'
import { checkList } from './list.ts'
import { checkOutbox } from './overdue.ts'
import { PARTITIONS } from './partitions.ts'
import type { Problem } from './problem.ts'
import { checkPublicPosts, suspectAuthors } from './public-posts.ts'
import { checkSealed } from './sealed-secrets.ts'
import { checkIndex } from './search-index.ts'
import { type Survey, surveyTable } from './survey.ts'
import { checkWanted } from './wanted-events.ts'

export type Diagnosis = { items: number; records: number; lists: number; problems: Problem[] }

type Check = { subject: string; run: () => Promise<Problem[]> }

/** Functions read public content again after a repair, and copies of it are pulled again. */
export async function diagnose(context: Context, repair: boolean): Promise<Diagnosis> {
  const { target, progress } = context
  const readAll = () => scan(target.client, target.tableName)
  const survey = await surveyTable(target.table, readAll, progress)
  const checks = checksAfter(survey, context, repair)
  const problems = [...survey.problems]
  const reported = new Set<string>()
  for (const [n, check] of checks.entries()) {
    progress.show(`${n} of ${checks.length} checks done, now: ${check.subject}`)
    for (const problem of await runCheck(check)) {
      const item = problem.key && keyText(problem.key)
      if (item && reported.has(item)) continue
      if (item) reported.add(item)
      problems.push(problem)
    }
  }
  if (problems.some(({ isRepaired }) => isRepaired)) {
    await commitPublicly(target.table, [], { raised: 'names', notes: [{ kind: 'all' }] })
  }
  return { items: survey.items, records: survey.records, lists: survey.lists.size, problems }
}

/** Lists come first, because repairing a record writes list entries, which needs intact nodes. */
function checksAfter(survey: Survey, context: Context, repair: boolean): Check[] {
  const { target, nowMs } = context
  const { table, client, tableName } = target
  const readAll = () => scan(client, tableName)
  return [
    ...[...survey.lists].map(name => ({
      subject: `list ${name}`,
      run: () => checkNamedList(table, name, repair),
    })),
    ...[...survey.suspects.values()].sort(missingFirst).map(suspect => ({
      subject: suspect.type.labelOf(suspect.key),
      run: () => checkRecord(table, suspect, repair),
    })),
    ...[...survey.partitions.values()].flatMap(({ kind, id }) => {
      const partition = PARTITIONS.get(kind)
      return partition
        ? [{ subject: `${partition.label} ${id}`, run: () => partition.check(context, id, repair) }]
        : []
    }),
    { subject: 'public posts of authors', run: () => checkAuthors(survey, table, readAll, repair) },
    { subject: 'categories', run: () => checkCategoryTotals(table, repair) },
    { subject: 'webhooks', run: () => checkWanted(table, webhookOwners(survey), repair) },
    { subject: 'webhook secrets', run: () => checkSealed(context, repair) },
    {
      subject: 'large texts',
      run: async () => [
        ...(await checkParts(table, survey.blobs, readAll, repair)),
        ...(await checkReferences(table, survey.blobs)),
      ],
    },
    { subject: 'search index', run: () => checkIndex(context, survey.index, repair) },
    { subject: 'outbox', run: () => checkOutbox(target, nowMs, repair) },
  ]
}

function webhookOwners({ partitions }: Survey): number[] {
  const own = [...partitions.values()].filter(({ kind }) => kind === ('WEBHOOK' satisfies Kind))
  return own.map(({ id }) => id)
}

/** A profile that was missing has no number until it is counted. */
function checkAuthors(
  { authors, suspects }: Survey,
  table: Table,
  readAll: () => AsyncIterable<Item[]>,
  repair: boolean,
): Promise<Problem[]> {
  const users = [...suspects.values()].flatMap(({ key: { pk } }) =>
    kindOf(pk) === ('USER' satisfies Kind) ? Number(nameIn(pk)) : [],
  )
  const ids = [...suspectAuthors(authors), ...users]
  return checkPublicPosts(table, { ids, first: authors, readAll }, repair)
}

/** If two records claim the same item, it is reported and repaired for the one that is missing it. */
function missingFirst(a: Suspect, b: Suspect): number {
  return a.unexpected.size - b.unexpected.size
}

/** A check that fails does not prevent the others. */
async function runCheck({ subject, run }: Check): Promise<Problem[]> {
  try {
    return await run()
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    const message = `could not be checked completely. Run the doctor again. (${cause})`
    return [{ subject, message, isRepaired: false }]
  }
}

async function checkNamedList(table: Table, name: string, repair: boolean): Promise<Problem[]> {
  const type = RECORD_TYPES.find(({ listOf }) => listOf(name))
  const list = type?.listOf(name)
  if (!list) {
    const message = 'is unknown to this version and was not checked.'
    return [{ subject: `list ${name}`, message, isRepaired: false }]
  }
  return await checkList(table, list, repair)
}
