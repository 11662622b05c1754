// The actions that write a changed posting list: its item, conditional on its stamp, and its changed blocks.
import { randomUUID } from 'node:crypto'
import { type Action, CONFLICT } from '../../table/action.ts'
import { isNew } from '../../table/conditions.ts'
import type { Item } from '../../table/key.ts'
import type { Posting } from '../posting.ts'
import { countsOf, type LargeList, type PostingList, type SmallList } from '../posting-list.ts'
import {
  applyChange,
  changeBlocks,
  fitsInline,
  hasSamePostings,
  isEmptyList,
  type PostingChange,
  type PostingsByBlock,
  splitIntoBlocks,
} from '../posting-list-change.ts'
import { blockKey, itemOfBlock, itemOfList, keyOfList } from '../posting-list-item.ts'

/** `list` is undefined for a term without postings. */
export function smallListActions(term: string, list: SmallList | undefined, change: PostingChange): Action[] {
  const before = list?.postings ?? []
  const after = applyChange(before, change)
  if (hasSamePostings(before, after)) return []
  if (list && after.length === 0) return [deleteList(list)]
  const [item, ...blocks] = itemsOfList(term, after)
  return [...(item ? [putList(item, list)] : []), ...blocks.map(Item => ({ Put: { Item } }))]
}

export function largeListActions(
  list: LargeList,
  postingsByBlock: PostingsByBlock,
  change: PostingChange,
): Action[] {
  const changes = changeBlocks(list, postingsByBlock, change)
  if (!changes) return []
  const after = { ...list, stamp: randomUUID(), blocks: changes.blocks }
  return [
    isEmptyList(after) ? deleteList(list) : putList(itemOfList(after), list),
    ...changes.written.map(block => ({ Put: { Item: itemOfBlock(list.term, block) } })),
    ...changes.deleted.map(bound => ({ Delete: { Key: blockKey(list.term, bound) } })),
  ]
}

function isUnchanged(list: PostingList | undefined) {
  return list ? { ConditionExpression: 'stamp = :s', ExpressionAttributeValues: { ':s': list.stamp } } : isNew
}

function putList(item: Item, before: PostingList | undefined): Action {
  return {
    onConditionFailed: CONFLICT,
    Put: { Item: item, ...isUnchanged(before) },
  }
}

function deleteList(list: PostingList): Action {
  return {
    onConditionFailed: CONFLICT,
    Delete: { Key: keyOfList(list.term), ...isUnchanged(list) },
  }
}

/** The items of a new list, its own first. Expects the postings in rank order. */
export function itemsOfList(term: string, postings: Posting[]): Item[] {
  const stamp = randomUUID()
  if (fitsInline(postings)) return [itemOfList({ term, stamp, postings })]
  const contents = splitIntoBlocks(postings)
  const blocks = contents.map(block => ({ bound: block.bound, ...countsOf(block.postings) }))
  return [
    itemOfList({ term, stamp, blocks }),
    ...contents.filter(block => block.postings.length > 0).map(block => itemOfBlock(term, block)),
  ]
}
