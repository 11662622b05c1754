// Updates posting lists. A list and its blocks change in one transaction, so that its counts are right.
import { setTimeout as pause } from 'node:timers/promises'
import { type Action, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { mapConcurrently, slices } from '../../table/concurrency.ts'
import { isConflict } from '../../table/retrying.ts'
import { isLarge, type LargeList } from '../posting-list.ts'
import {
  blockIndexesOfChange,
  halvesOf,
  type PostingChange,
  type PostingsByBlock,
} from '../posting-list-change.ts'
import { BlockItem, keyOfBlock, keyOfList, PostingListItem } from '../posting-list-item.ts'
import { largeListActions, smallListActions } from './posting-list-actions.ts'
import type { RunLocked } from './writer-lock.ts'

export type ChangesByTerm = Map<string, PostingChange>
type ListUpdate = { term: string; change: PostingChange; actions: Action[] }

/** Bounds the memory for a post with very many words. */
const TERMS_AT_ONCE = 2_000
const WRITES_AT_ONCE = 8
/** A transaction may have at most 100 actions. */
const MAX_ACTIONS = 95

/** Idempotent: an applied change writes nothing. Each transaction updates many lists. */
export async function updatePostingLists(
  table: Table,
  changes: ChangesByTerm,
  runLocked: RunLocked = run => run(),
): Promise<void> {
  for (const some of slices([...changes], TERMS_AT_ONCE)) {
    const updates = await plan(table, new Map(some))
    await mapConcurrently(groupByTransaction(updates), WRITES_AT_ONCE, group =>
      writeGroup(table, group, runLocked),
    )
  }
}

/** Seven tries halve a group to single lists. The writer lock makes conflicts rare. */
const MAX_TRIES = 20
const LONGEST_PAUSE_MS = 100

/** After a conflict, plans the whole group again; after further ones, its halves. */
async function writeGroup(table: Table, group: ListUpdate[], runLocked: RunLocked, tries = 0): Promise<void> {
  const [first] = group
  const halves = first && first.actions.length > MAX_ACTIONS ? halvesOf(first.change) : []
  if (first && halves.length > 0) return await writeInParts(table, first.term, halves, runLocked)
  try {
    return await runLocked(() => table.transact(group.flatMap(({ actions }) => actions)))
  } catch (error) {
    if (tries === MAX_TRIES || !(error instanceof ConditionFailed || isConflict(error))) throw error
  }
  await pause(Math.random() * LONGEST_PAUSE_MS)
  const updates = await plan(table, new Map(group.map(({ term, change }) => [term, change])))
  const parts = tries === 0 ? [updates] : slices(updates, Math.ceil(updates.length / 2))
  for (const part of parts.flatMap(groupByTransaction)) await writeGroup(table, part, runLocked, tries + 1)
}

/**
 * Splits an update that exceeds one transaction into halves of its posts. Between two transactions, each post
 * has either its old postings or its new ones.
 */
async function writeInParts(
  table: Table,
  term: string,
  changes: PostingChange[],
  runLocked: RunLocked,
): Promise<void> {
  for (const change of changes) {
    const updates = await plan(table, new Map([[term, change]]))
    for (const group of groupByTransaction(updates)) await writeGroup(table, group, runLocked)
  }
}

/** An update that exceeds one transaction is a group of its own. */
function groupByTransaction(updates: ListUpdate[]): ListUpdate[][] {
  const groups: ListUpdate[][] = []
  let room = 0
  for (const update of updates.filter(({ actions }) => actions.length > 0)) {
    if (update.actions.length > room) {
      groups.push([])
      room = MAX_ACTIONS
    }
    groups.at(-1)?.push(update)
    room -= update.actions.length
  }
  return groups
}

/** Reads all lists in one round trip, then the changed blocks of the large ones. */
async function plan(table: Table, changes: ChangesByTerm): Promise<ListUpdate[]> {
  const items = await table.findMany([...changes.keys()].map(keyOfList))
  const lists = items.map(item => PostingListItem.parse(item))
  const byTerm = new Map(lists.map(list => [list.term, list]))
  const blocks = await readChangedBlocks(table, lists.filter(isLarge), changes)
  return [...changes].map(([term, change]) => {
    const list = byTerm.get(term)
    const actions =
      list && isLarge(list)
        ? largeListActions(list, blocks.get(term) ?? new Map(), change)
        : smallListActions(term, list, change)
    return { term, change, actions }
  })
}

/** Call after the read of the lists: if a block changes in between, so does the stamp of its list. */
async function readChangedBlocks(
  table: Table,
  lists: LargeList[],
  changes: ChangesByTerm,
): Promise<Map<string, PostingsByBlock>> {
  const parts = lists.flatMap(list => {
    const change = changes.get(list.term)
    return change
      ? blockIndexesOfChange(list, change).map(index => ({ list, index, key: keyOfBlock(list, index) }))
      : []
  })
  const items = await table.findMany(parts.map(({ key }) => key))
  const byKey = new Map(items.map(item => [`${item.pk} ${item.sk}`, BlockItem.parse(item).postings]))
  const blocks = new Map<string, PostingsByBlock>(lists.map(({ term }) => [term, new Map()]))
  // An empty block has no item.
  for (const { list, index, key } of parts) {
    blocks.get(list.term)?.set(index, byKey.get(`${key.pk} ${key.sk}`) ?? [])
  }
  return blocks
}
