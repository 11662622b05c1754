// The doctor: one pass over the table finds what records require and what is there. Each difference is
// checked again, since the service may be writing, and with --repair written.
import { commitPublicly } from '../../../shared/feed/commit.ts'
import { BodyItem } from '../../../shared/posts/store/bodies.ts'
import { decompressText } from '../../../shared/table/blob.ts'
import { bodyKey, type Item, type Key, kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Context } from '../command.ts'
import { RECORD_TYPES } from '../record-types.ts'
import { scan } from '../scan.ts'
import { checkIndex, openIndexScan } from './check-index.ts'
import { checkList } from './check-list.ts'
import { checkRow } from './check-row.ts'
import { checkOutbox, checkSealed, isOverdue } from './check-waiting.ts'
import { keyOf, lineOf, type Problem } from './compare.ts'
import { checkCounts } from './counts.ts'
import { openPass, type Pass, type Row } from './pass.ts'

type Diagnosis = { items: number; records: number; lists: number; problems: Problem[] }

/** Functions read public content again after a repair, and copies of it are pulled again. */
export async function diagnose(context: Context, repair: boolean): Promise<Diagnosis> {
  const { target, progress } = context
  const { table } = target
  const index = openIndexScan()
  const overdue: Key[] = []
  const unreadable: Key[] = []
  const [pass, items] = await passOver(context, async item => {
    if (isOverdue(item, context.nowMs)) overdue.push(keyOf(item))
    if (!(await isReadableBody(item))) unreadable.push(keyOf(item))
    await index.add(item)
  })
  /** By their lines: each is told once, however many items have it. */
  const problems = new Map(pass.problems.map(problem => [lineOf(problem), problem]))
  for (const { pk } of unreadable) {
    const problem = { subject: `post ${nameIn(pk)}`, message: LOST_BODY, isRepaired: false }
    problems.set(lineOf(problem), problem)
  }
  /** A check that fails does not prevent the others. */
  const check = async (subject: string, run: () => Promise<Problem[]>) => {
    progress.show(`Checking ${subject}`)
    for (const problem of await run().catch(error => [failed(subject, error)])) {
      const line = `${problem.subject}: ${problem.message}`
      const isRepaired = problem.isRepaired && problems.get(line)?.isRepaired !== false
      problems.set(line, { ...problem, isRepaired })
    }
  }

  // Lists come first, because repairing a row writes list entries, which needs intact nodes.
  for (const name of pass.lists) await check(`list ${name}`, () => checkNamedList(context, name, repair))
  const checkRows = async (rows: Row[]) => {
    for (const row of rows) await check(`${row.key.pk}`, () => checkRow(context, row, repair))
  }
  // A profile has a number, which is checked once the profile is there.
  await checkRows(pass.suspects().filter(isProfile))
  const passAgain = async () => (await passOver(context))[0].counts
  // Before records are removed, which changes totals.
  await check('totals', () => checkCounts(table, { first: pass.counts, passAgain }, repair))
  await checkRows(pass.suspects().filter(row => !isProfile(row)))
  await check('webhook secrets', () => checkSealed(context, repair))
  await check('search index', () => checkIndex(context, index, repair))
  await check('outbox', () => checkOutbox(context, overdue, repair))

  const all = [...problems.values()]
  if (all.some(({ isRepaired }) => isRepaired)) {
    await commitPublicly(table, [], { raised: 'names', notes: [{ kind: 'all' }] })
  }
  return { items, records: pass.countRecords(), lists: pass.lists.size, problems: all }
}

const LOST_BODY = 'its body cannot be read. It cannot be restored.'

/** True for other items, and for a body in parts, which are counted. */
async function isReadableBody(item: Item): Promise<boolean> {
  if (kindOf(item.pk) !== ('POST' satisfies Kind) || item.sk !== bodyKey(0).sk) return true
  const { data: body } = BodyItem.safeParse(item)
  if (!body?.bytes) return body !== undefined
  return await decompressText(body.bytes).then(
    () => true,
    () => false,
  )
}

function isProfile({ key }: Row): boolean {
  return kindOf(key.pk) === ('AUTHOR' satisfies Kind)
}

/** Returns the number of items as well. */
async function passOver(
  { target: { client, table, tableName }, progress }: Context,
  look?: (item: Item) => Promise<void>,
): Promise<[Pass, number]> {
  const pass = openPass(table)
  let items = 0
  for await (const page of scan(client, tableName)) {
    for (const item of page) await pass.add(item)
    if (look) await Promise.all(page.map(look))
    items += page.length
    progress.show(`Read ${items} items`)
  }
  return [pass, items]
}

async function checkNamedList({ target }: Context, name: string, repair: boolean): Promise<Problem[]> {
  const list = RECORD_TYPES.map(({ listOf }) => listOf(name)).find(list => list !== undefined)
  if (list) return await checkList(target.table, list, repair)
  const message = 'is unknown to this version and was not checked.'
  return [{ subject: `list ${name}`, message, isRepaired: false }]
}

function failed(subject: string, error: unknown): Problem {
  const cause = error instanceof Error ? error.message : String(error)
  const message = `could not be checked completely. Run the doctor again. (${cause})`
  return { subject, message, isRepaired: false }
}
