// What a change of a term's postings is to the table: the term under its stamp, and with it the blocks that differ.

import { randomUUID } from 'node:crypto'
import { type Action, CONFLICT } from '../../table/action.ts'
import { isNew } from '../../table/conditions.ts'
import type { Item } from '../../table/key.ts'
import type { Posting } from '../posting.ts'
import { type LargeTerm, type SmallTerm, sizeOf, type Term } from '../term.ts'
import {
  blocksOf,
  changedBlocks,
  changedPostings,
  fitsInside,
  isEmpty,
  isSame,
  type PostingChange,
  type PostingsByBlock,
} from '../term-change.ts'
import { blockItem, blockKey, keyOfTerm, termItem } from '../term-item.ts'

export function changeSmall(name: string, term: SmallTerm | undefined, change: PostingChange): Action[] {
  const before = term?.postings ?? []
  const after = changedPostings(before, change)
  if (isSame(before, after)) return []
  if (term && after.length === 0) return [dropTerm(term)]
  const [first, ...blocks] = itemsOf(name, after)
  return [...(first ? [putTerm(first, term)] : []), ...blocks.map(Item => ({ Put: { Item } }))]
}

export function changeLarge(term: LargeTerm, touched: PostingsByBlock, change: PostingChange): Action[] {
  const changed = changedBlocks(term, touched, change)
  if (!changed) return []
  const after = { ...term, stamp: randomUUID(), blocks: changed.blocks }
  return [
    isEmpty(after) ? dropTerm(term) : putTerm(termItem(after), term),
    ...changed.written.map(block => ({ Put: { Item: blockItem(term.term, block) } })),
    ...changed.dropped.map(bound => ({ Delete: { Key: blockKey(term.term, bound) } })),
  ]
}

function unchanged(term: Term | undefined) {
  return term ? { ConditionExpression: 'stamp = :s', ExpressionAttributeValues: { ':s': term.stamp } } : isNew
}

function putTerm(item: Item, before: Term | undefined): Action {
  return {
    onConditionFailed: CONFLICT,
    Put: { Item: item, ...unchanged(before) },
  }
}

function dropTerm(term: Term): Action {
  return {
    onConditionFailed: CONFLICT,
    Delete: { Key: keyOfTerm(term.term), ...unchanged(term) },
  }
}

/** Postings in their order, as they are kept: the term itself, then its blocks, if it has any. */
export function itemsOf(name: string, postings: Posting[]): Item[] {
  const stamp = randomUUID()
  if (fitsInside(postings)) return [termItem({ term: name, stamp, postings })]
  const blocks = blocksOf(postings)
  const sized = blocks.map(block => ({ bound: block.bound, ...sizeOf(block.postings) }))
  return [
    termItem({ term: name, stamp, blocks: sized }),
    ...blocks.filter(block => block.postings.length > 0).map(block => blockItem(name, block)),
  ]
}
