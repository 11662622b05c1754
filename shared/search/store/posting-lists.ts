// Reads posting lists for searches, eventually consistent, because the posts of hits are read afterwards.
import type { Table } from '../../table/client.ts'
import { postingsPartition } from '../../table/design.ts'
import { countOfTypes, isOfTypes, type SearchedTypes } from '../clause.ts'
import type { Posting } from '../posting.ts'
import { type Block, blockIndexOf, isLarge, type LargeList, type PostingList } from '../posting-list.ts'
import { BlockItem, blockKey, keyOfList, PostingListItem } from '../posting-list-item.ts'
import { WEIGHTS } from '../weights.ts'

const EVENTUALLY = { isEventual: true }

/** The lists of all words that begin with `prefix`, which is longer than the prefixes that are terms. */
export function findListsWithPrefix(table: Table, prefix: string): Promise<PostingList[]> {
  return table.query({ pk: keyOfList(prefix).pk, beginsWith: prefix, ...EVENTUALLY }, PostingListItem)
}

/** Undefined for a term without postings. */
export async function findPostingList(table: Table, term: string): Promise<PostingList | undefined> {
  const { pk, sk } = keyOfList(term)
  const [list] = await table.query({ pk, from: sk, to: sk, ...EVENTUALLY }, PostingListItem)
  return list
}

export async function allPostings(table: Table, list: PostingList): Promise<Posting[]> {
  if (!isLarge(list)) return list.postings
  const span = { pk: postingsPartition(list.term), ...EVENTUALLY }
  return (await table.query(span, BlockItem)).flatMap(({ postings }) => postings)
}

/** In rank order. Reads only the blocks of the page. */
export async function pageOfPostings(
  table: Table,
  list: PostingList,
  { types, skip, take }: { types: SearchedTypes; skip: number; take: number },
): Promise<Posting[]> {
  if (!isLarge(list)) return list.postings.filter(one => isOfTypes(types, one)).slice(skip, skip + take)
  let before = 0
  const blocks: Block[] = []
  let skipped = 0
  for (const block of list.blocks) {
    const count = countOfTypes(types, block)
    if (before + count <= skip) {
      skipped += count
    } else if (before < skip + take && count > 0) {
      blocks.push(block)
    }
    before += count
  }
  const postings = await readBlocks(table, list, blocks)
  return postings.filter(one => isOfTypes(types, one)).slice(skip - skipped, skip - skipped + take)
}

/** With a larger share of the blocks, one query of all costs less than a get for each. */
const LARGEST_SHARE = 1 / 3

/** Postings that include all of these posts. */
export async function postingsOfPosts(
  table: Table,
  list: PostingList,
  posts: Iterable<Posting>,
): Promise<Posting[]> {
  if (!isLarge(list)) return list.postings
  const indexes = new Set<number>()
  for (const post of posts) for (const weight of WEIGHTS) indexes.add(blockIndexOf(list, { ...post, weight }))
  const blocks = [...indexes]
    .flatMap(index => list.blocks[index] ?? [])
    .filter(block => countOfTypes('all', block) > 0)
  return blocks.length > list.blocks.length * LARGEST_SHARE
    ? await allPostings(table, list)
    : await readBlocks(table, list, blocks)
}

async function readBlocks(table: Table, { term }: LargeList, blocks: Block[]): Promise<Posting[]> {
  const keys = blocks.map(({ bound }) => blockKey(term, bound))
  const items = (await table.findMany(keys, EVENTUALLY)).map(item => BlockItem.parse(item))
  const bySk = new Map(items.map(({ sk, postings }) => [sk, postings]))
  return keys.flatMap(({ sk }) => bySk.get(sk) ?? [])
}
