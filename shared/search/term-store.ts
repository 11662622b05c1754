// Terms in the table: a term and its blocks change in one transaction, so that what is counted is there.
import { randomUUID } from 'node:crypto'
import { type Action, STALE } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { deciding } from '../table/deciding.ts'
import type { Item } from '../table/key.ts'
import type { Posting } from './posting.ts'
import {
  blockItem,
  blockKey,
  isLarge,
  keyOfTerm,
  type LargeTerm,
  readBlock,
  readTerm,
  type SmallTerm,
  sizeOf,
  type Term,
  termItem,
} from './term.ts'
import {
  blocksOf,
  changedBlocks,
  changedPostings,
  fitsInside,
  isEmpty,
  isSame,
  type PostingChange,
  touchedBy,
} from './term-change.ts'

/** Writes nothing where all is as it should be, so that it may be done again. */
export const changeTerm = (table: Table, name: string, change: PostingChange): Promise<void> =>
  deciding(async () => {
    const term = await table.find(keyOfTerm(name), readTerm)
    const actions =
      term && isLarge(term) ? await changeLarge(table, term, change) : changeSmall(name, term, change)
    await table.transact(actions)
  })

const changeSmall = (name: string, term: SmallTerm | undefined, change: PostingChange): Action[] => {
  const before = term?.postings ?? []
  const after = changedPostings(before, change)
  if (isSame(before, after)) return []
  if (term && after.length === 0) return [dropTerm(term)]
  const [first, ...blocks] = itemsOf(name, after)
  return [...(first ? [putTerm(first, term)] : []), ...blocks.map(Item => ({ Put: { Item } }))]
}

const changeLarge = async (table: Table, term: LargeTerm, change: PostingChange): Promise<Action[]> => {
  const changed = changedBlocks(term, await readTouched(table, term, change), change)
  if (!changed) return []
  const after = { ...term, stamp: randomUUID(), blocks: changed.blocks }
  return [
    isEmpty(after) ? dropTerm(term) : putTerm(termItem(after), term),
    ...changed.written.map(block => ({ Put: { Item: blockItem(term.term, block) } })),
    ...changed.dropped.map(bound => ({ Delete: { Key: blockKey(term.term, bound) } })),
  ]
}

/** Read after the term: where that has changed since, so has its stamp, and the write is refused. */
const readTouched = async (
  table: Table,
  term: LargeTerm,
  change: PostingChange,
): Promise<Map<number, Posting[]>> => {
  const places = touchedBy(term, change)
  const keys = places.flatMap(place => {
    const block = term.blocks[place]
    return block ? [blockKey(term.term, block.bound)] : []
  })
  const found = (await table.findMany(keys)).map(item => readBlock.parse(item))
  const bySk = new Map(found.map(({ sk, postings }) => [sk, postings]))
  return new Map(places.map((place, n) => [place, bySk.get(keys[n]?.sk ?? '') ?? []]))
}

const unchanged = (term: Term | undefined) =>
  term
    ? { ConditionExpression: 'stamp = :s', ExpressionAttributeValues: { ':s': term.stamp } }
    : { ConditionExpression: 'attribute_not_exists(pk)' }

const putTerm = (item: Item, before: Term | undefined): Action => ({
  refused: STALE,
  Put: { Item: item, ...unchanged(before) },
})

const dropTerm = (term: Term): Action => ({
  refused: STALE,
  Delete: { Key: keyOfTerm(term.term), ...unchanged(term) },
})

/** Postings in their order, as they are kept: the term itself, then its blocks, if it has any. */
export const itemsOf = (name: string, postings: Posting[]): Item[] => {
  const stamp = randomUUID()
  if (fitsInside(postings)) return [termItem({ term: name, stamp, postings })]
  const blocks = blocksOf(postings)
  const sized = blocks.map(block => ({ bound: block.bound, ...sizeOf(block.postings) }))
  return [
    termItem({ term: name, stamp, blocks: sized }),
    ...blocks.filter(block => block.postings.length > 0).map(block => blockItem(name, block)),
  ]
}
