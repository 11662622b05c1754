// Terms in the table: a term and its blocks change in one transaction, so that what is counted is there.
import { setTimeout as pause } from 'node:timers/promises'
import { type Action, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { mapConcurrently, slices } from '../../table/concurrency.ts'
import { isConflict } from '../../table/retrying.ts'
import { isLarge, type LargeTerm } from '../term.ts'
import { blocksOfChange, halvesOf, type PostingChange, type PostingsByBlock } from '../term-change.ts'
import { keyOfBlock, keyOfTerm, readBlock, readTerm } from '../term-item.ts'
import { changeLarge, changeSmall } from './term-actions.ts'
import type { RunLocked } from './writer-lock.ts'

export type Changes = Map<string, PostingChange>
type PlannedTerm = { name: string; change: PostingChange; actions: Action[] }

/** Few enough to be held in memory, however long a text is. */
const TERMS_AT_ONCE = 2_000
const WRITES_AT_ONCE = 8
/** A transaction has at most 100 actions. */
const MOST_ACTIONS = 95

/**
 * Writes nothing where all is as it should be, so that it may be done again. A transaction carries many terms, since
 * its price is that of its items. Each write is run by `hold`.
 */
export async function changeTerms(
  table: Table,
  changes: Changes,
  runLocked: RunLocked = run => run(),
): Promise<void> {
  for (const some of slices([...changes], TERMS_AT_ONCE)) {
    const planned = await plan(table, new Map(some))
    await mapConcurrently(groupByTransaction(planned), WRITES_AT_ONCE, group =>
      writeGroup(table, group, runLocked),
    )
  }
}

/** A group halves to single terms in seven tries; a run that has one writer at a time beside it needs none. */
const MOST_TRIES = 20
const LONGEST_PAUSE_MS = 100

/** Where another writer was faster, the group is planned again, and after that its halves: never term by term. */
async function writeGroup(
  table: Table,
  group: PlannedTerm[],
  runLocked: RunLocked,
  tries = 0,
): Promise<void> {
  const [one] = group
  const halves = one && one.actions.length > MOST_ACTIONS ? halvesOf(one.change) : []
  if (one && halves.length > 0) return await writeInParts(table, one.name, halves, runLocked)
  try {
    return await runLocked(() => table.transact(group.flatMap(({ actions }) => actions)))
  } catch (error) {
    if (tries === MOST_TRIES || !(error instanceof ConditionFailed || isConflict(error))) throw error
  }
  await pause(Math.random() * LONGEST_PAUSE_MS)
  const again = await plan(table, new Map(group.map(({ name, change }) => [name, change])))
  const parts = tries === 0 ? [again] : slices(again, Math.ceil(again.length / 2))
  for (const part of parts.flatMap(groupByTransaction)) await writeGroup(table, part, runLocked, tries + 1)
}

/**
 * A term that needs a larger transaction than there is: some posts first, then the others, planned on what the first
 * ones wrote. Each transaction leaves the term right: every post is in it as before or as afterwards.
 */
async function writeInParts(
  table: Table,
  name: string,
  changes: PostingChange[],
  runLocked: RunLocked,
): Promise<void> {
  for (const change of changes) {
    const planned = await plan(table, new Map([[name, change]]))
    for (const group of groupByTransaction(planned)) await writeGroup(table, group, runLocked)
  }
}

/** A term that is too large by itself is a group of its own. */
function groupByTransaction(planned: PlannedTerm[]): PlannedTerm[][] {
  const groups: PlannedTerm[][] = []
  let room = 0
  for (const one of planned.filter(({ actions }) => actions.length > 0)) {
    if (one.actions.length > room) {
      groups.push([])
      room = MOST_ACTIONS
    }
    groups.at(-1)?.push(one)
    room -= one.actions.length
  }
  return groups
}

/** Terms are read in one go, then the blocks of those that have some. */
async function plan(table: Table, changes: Changes): Promise<PlannedTerm[]> {
  const terms = (await table.findMany([...changes.keys()].map(keyOfTerm))).map(item => readTerm.parse(item))
  const byName = new Map(terms.map(term => [term.term, term]))
  const large = terms.filter(isLarge)
  const blocks = await readChangedBlocks(table, large, changes)
  return [...changes].map(([name, change]) => {
    const term = byName.get(name)
    const actions =
      term && isLarge(term)
        ? changeLarge(term, blocks.get(name) ?? new Map(), change)
        : changeSmall(name, term, change)
    return { name, change, actions }
  })
}

/** Read after their terms: where a block has changed since, so has its term's stamp, and the write is refused. */
async function readChangedBlocks(
  table: Table,
  terms: LargeTerm[],
  changes: Changes,
): Promise<Map<string, PostingsByBlock>> {
  const touched = terms.flatMap(term => {
    const change = changes.get(term.term)
    return change
      ? blocksOfChange(term, change).map(place => ({ term, place, key: keyOfBlock(term, place) }))
      : []
  })
  const found = await table.findMany(touched.map(({ key }) => key))
  const byKey = new Map(found.map(item => [`${item.pk} ${item.sk}`, readBlock.parse(item).postings]))
  const blocks = new Map<string, PostingsByBlock>(terms.map(({ term }) => [term, new Map()]))
  // A block without postings is not kept.
  for (const { term, place, key } of touched) {
    blocks.get(term.term)?.set(place, byKey.get(`${key.pk} ${key.sk}`) ?? [])
  }
  return blocks
}
