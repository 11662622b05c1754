// The doctor: one pass over the table builds what should be there from the records, and compares it with what
// is there. Each difference is checked again with consistent reads, since the service may be writing.
import { commitPublicly } from '../../../shared/feed/commit.ts'
import { type Item, kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Context } from '../command.ts'
import { RECORD_TYPES } from '../record-types.ts'
import { scan } from '../scan.ts'
import { checkIndex, newScan, scanForIndex } from './check-index.ts'
import {
  checkOutbox,
  checkParts,
  checkPendingOwner,
  checkReferences,
  checkSealed,
  checkThread,
  checkWebhookOwner,
  openBlobs,
  unfinishedErasure,
} from './check-leftovers.ts'
import { checkList } from './check-list.ts'
import { checkRecord } from './check-record.ts'
import {
  checkCategoryTotals,
  checkPublicPosts,
  checkWanted,
  checkWebhookTotal,
  openAuthors,
} from './check-totals.ts'
import type { Problem } from './expectations.ts'
import { keyText, openExpectations } from './expectations.ts'

export type Diagnosis = { items: number; records: number; lists: number; problems: Problem[] }

type Check = { subject: string; run: () => Promise<Problem[]> }

/** Functions read public content again after a repair, and copies of it are pulled again. */
export async function diagnose(context: Context, repair: boolean): Promise<Diagnosis> {
  const { target, progress } = context
  const pass = await scanTable(context)
  const problems = [...pass.problems]
  const reported = new Set<string>()
  const checks = checksAfter(pass, context, repair)
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
  const { items, expectations } = pass
  return { items, records: expectations.countRecords(), lists: expectations.lists.size, problems }
}

type Pass = Awaited<ReturnType<typeof scanTable>>

/** Partitions that are checked as a whole. */
const PARTITIONS = ['WEBHOOK', 'THREAD', 'PENDING'] satisfies Kind[]

/** Keeps keys and sums but no contents, so that a large site fits into memory. */
async function scanTable({ target: { table, client, tableName }, progress }: Context) {
  const [expectations, authors, blobs, index] = [openExpectations(), openAuthors(), openBlobs(), newScan()]
  const partitions = new Map<string, Set<number>>(PARTITIONS.map(kind => [kind, new Set()]))
  const problems: Problem[] = []
  let items = 0
  for await (const page of scan(client, tableName)) {
    for (const item of page) {
      expectations.add(item)
      authors.add(item)
      blobs.add(item)
      partitions.get(kindOf(item.pk))?.add(Number(nameIn(item.pk)))
      for (const problem of unfinishedErasure(item)) problems.push(problem)
    }
    await Promise.all(page.map(item => scanForIndex(table, index, item)))
    items += page.length
    progress.show(`Read ${items} items`)
  }
  const idsOf = (kind: (typeof PARTITIONS)[number]) => [...(partitions.get(kind) ?? [])]
  return {
    expectations,
    authors,
    blobs,
    index,
    idsOf,
    items,
    problems: [...expectations.unreadable, ...problems],
  }
}

/** Lists come first, because repairing a record writes list entries, which needs intact nodes. */
function checksAfter(
  { expectations, authors, blobs, index, idsOf }: Pass,
  context: Context,
  repair: boolean,
): Check[] {
  const { table, client, tableName } = context.target
  const scanAgain = async (add: (item: Item) => void) => {
    for await (const page of scan(client, tableName)) for (const item of page) add(item)
  }
  const suspects = expectations.allSuspects()
  // A profile that was missing has no number until it is counted.
  const users = suspects.filter(({ key }) => kindOf(key.pk) === ('USER' satisfies Kind))
  const authorIds = [...authors.suspects(), ...users.map(({ key }) => Number(nameIn(key.pk)))]
  const ofEach = (ids: number[], subject: string, run: (id: number) => Promise<Problem[]>): Check[] =>
    ids.map(id => ({ subject: `${subject} ${id}`, run: () => run(id) }))
  return [
    ...[...expectations.lists].map(name => ({
      subject: `list ${name}`,
      run: () => checkNamedList(context, name, repair),
    })),
    ...suspects.map(suspect => ({
      subject: suspect.type.labelOf(suspect.key),
      run: () => checkRecord(table, suspect, repair),
    })),
    ...ofEach(idsOf('WEBHOOK'), 'number of webhooks of user', id => checkWebhookTotal(table, id, repair)),
    ...ofEach(idsOf('WEBHOOK'), 'webhooks of user', id => checkWebhookOwner(context, id, repair)),
    ...ofEach(idsOf('THREAD'), 'comments on post', id => checkThread(context, id, repair)),
    ...ofEach(idsOf('PENDING'), 'pending comments of user', id => checkPendingOwner(context, id, repair)),
    {
      subject: 'public posts of authors',
      run: () => checkPublicPosts(table, { ids: authorIds, first: authors, scanAgain }, repair),
    },
    { subject: 'categories', run: () => checkCategoryTotals(table, repair) },
    { subject: 'webhooks', run: () => checkWanted(table, idsOf('WEBHOOK'), repair) },
    { subject: 'webhook secrets', run: () => checkSealed(context, repair) },
    { subject: 'large texts without a record', run: () => checkParts(table, blobs, scanAgain, repair) },
    { subject: 'large texts', run: () => checkReferences(table, blobs) },
    { subject: 'search index', run: () => checkIndex(context, index, repair) },
    { subject: 'outbox', run: () => checkOutbox(context, repair) },
  ]
}

async function checkNamedList({ target }: Context, name: string, repair: boolean): Promise<Problem[]> {
  const list = RECORD_TYPES.map(({ listOf }) => listOf(name)).find(list => list !== undefined)
  if (list) return await checkList(target.table, list, repair)
  const message = 'is unknown to this version and was not checked.'
  return [{ subject: `list ${name}`, message, isRepaired: false }]
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
