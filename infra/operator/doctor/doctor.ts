// The doctor: one pass over the table builds what should be there from the records, and compares it with what
// is there. Each difference is checked again with consistent reads, since the service may be writing.
import { commitPublicly } from '../../../shared/feed/commit.ts'
import { authorKey, type Item, kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Context } from '../command.ts'
import { RECORD_TYPES } from '../record-types.ts'
import { scan } from '../scan.ts'
import { checkIndex, openIndexScan } from './check-index.ts'
import { checkList } from './check-list.ts'
import { checkParts, openParts } from './check-parts.ts'
import { checkRecord } from './check-record.ts'
import { checkTotals, openTotals } from './check-totals.ts'
import { checkOutbox, checkSealed } from './check-waiting.ts'
import { keyText, openExpectations, type Problem } from './expectations.ts'

export type Diagnosis = { items: number; records: number; lists: number; problems: Problem[] }

type Check = { subject: string; run: () => Promise<Problem[]> }

/** Functions read public content again after a repair, and copies of it are pulled again. */
export async function diagnose(context: Context, repair: boolean): Promise<Diagnosis> {
  const { target, progress } = context
  const pass = await readTable(context)
  const { items, expectations } = pass
  const problems = [...expectations.problems]
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
  return { items, records: expectations.countRecords(), lists: expectations.lists.size, problems }
}

type Pass = Awaited<ReturnType<typeof readTable>>

/** Keeps keys and sums but no contents, so that a large site fits into memory. */
async function readTable({ target: { client, tableName }, progress }: Context) {
  const [expectations, index, totals, parts] = [
    openExpectations(),
    openIndexScan(),
    openTotals(),
    openParts(),
  ]
  let items = 0
  for await (const page of scan(client, tableName)) {
    for (const item of page) for (const { add } of [expectations, totals, parts]) add(item)
    await Promise.all(page.map(item => index.add(item)))
    items += page.length
    progress.show(`Read ${items} items`)
  }
  return { expectations, index, totals, parts, items }
}

/** Lists come first, because repairing a record writes list entries, which needs intact nodes. */
function checksAfter(
  { expectations, index, totals, parts }: Pass,
  context: Context,
  repair: boolean,
): Check[] {
  const { table, client, tableName } = context.target
  const suspects = expectations.allSuspects()
  const users = suspects.filter(({ key }) => kindOf(key.pk) === ('USER' satisfies Kind))
  const restored = users.map(({ key }) => authorKey(Number(nameIn(key.pk))))
  const scanAgain = async (add: (item: Item) => void) => {
    for await (const page of scan(client, tableName)) for (const item of page) add(item)
  }
  return [
    ...[...expectations.lists].map(name => ({
      subject: `list ${name}`,
      run: () => checkNamedList(context, name, repair),
    })),
    // Before records are removed, which changes totals.
    {
      subject: 'totals',
      run: () => checkTotals(table, { first: totals, keys: totals.suspects(), scanAgain }, repair),
    },
    ...suspects.map(suspect => ({
      subject: suspect.type.labelOf(suspect.key),
      run: () => checkRecord(context, suspect, repair),
    })),
    {
      // They have no number until it is counted. That they were missing is reported already.
      subject: 'totals of restored profiles',
      run: () => checkTotals(table, { first: totals, keys: restored, scanAgain }, repair).then(() => []),
    },
    { subject: 'large texts', run: () => checkParts(table, { first: parts, scanAgain }, repair) },
    { subject: 'webhook secrets', run: () => checkSealed(context, repair) },
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
