// Reading terms for a search: a moment old may do, at half the price, since whatever is found is looked up afterwards.
import type { Table } from '../../table/client.ts'
import { postingsPartition } from '../../table/design.ts'
import { isWanted, type PostKinds, sizeFor } from '../condition.ts'
import { PREFIX_LENGTHS, prefixTerm } from '../doc.ts'
import type { Posting } from '../posting.ts'
import { type Block, blockOf, isLarge, type LargeTerm, type Term } from '../term.ts'
import { blockKey, keyOfTerm, readBlock, readTerm } from '../term-item.ts'
import { WEIGHTS } from '../weights.ts'

const EVENTUALLY = { isEventual: true }

/** The one term of a short beginning; of a longer one, all words that begin so. */
export function termsBeginning(table: Table, beginning: string): Promise<Term[]> {
  const length = Array.from(beginning).length
  const name = PREFIX_LENGTHS.some(one => one === length) ? prefixTerm(beginning, length) : beginning
  return table.query({ pk: keyOfTerm(name).pk, beginsWith: name, ...EVENTUALLY }, readTerm)
}

export async function termNamed(table: Table, name: string): Promise<Term[]> {
  const { pk, sk } = keyOfTerm(name)
  return await table.query({ pk, from: sk, to: sk, ...EVENTUALLY }, readTerm)
}

export async function allPostings(table: Table, term: Term): Promise<Posting[]> {
  if (!isLarge(term)) return term.postings
  const span = { pk: postingsPartition(term.term), ...EVENTUALLY }
  return (await table.query(span, readBlock)).flatMap(({ postings }) => postings)
}

/** Some of them in their order: the bounds say in which blocks they are. */
export async function somePostings(
  table: Table,
  term: Term,
  { kinds, skip, take }: { kinds: PostKinds; skip: number; take: number },
): Promise<Posting[]> {
  if (!isLarge(term)) return term.postings.filter(one => isWanted(kinds, one)).slice(skip, skip + take)
  let before = 0
  const needed: Block[] = []
  let skipped = 0
  for (const block of term.blocks) {
    const size = sizeFor(kinds, block)
    if (before + size <= skip) {
      skipped += size
    } else if (before < skip + take && size > 0) {
      needed.push(block)
    }
    before += size
  }
  const postings = await postingsIn(table, term, needed)
  return postings.filter(one => isWanted(kinds, one)).slice(skip - skipped, skip - skipped + take)
}

/** A query of neighbours is cheaper than many gets of a unit each. */
const MOST_ALONE = 1 / 3

/** Those of the given posts, and perhaps of others. */
export async function postingsOfPosts(
  table: Table,
  term: Term,
  posts: Iterable<Posting>,
): Promise<Posting[]> {
  if (!isLarge(term)) return term.postings
  const places = new Set<number>()
  for (const post of posts) for (const weight of WEIGHTS) places.add(blockOf(term, { ...post, weight }))
  const needed = [...places]
    .flatMap(place => term.blocks[place] ?? [])
    .filter(block => sizeFor('all', block) > 0)
  return needed.length > term.blocks.length * MOST_ALONE
    ? await allPostings(table, term)
    : await postingsIn(table, term, needed)
}

async function postingsIn(table: Table, { term }: LargeTerm, blocks: Block[]): Promise<Posting[]> {
  const keys = blocks.map(({ bound }) => blockKey(term, bound))
  const found = (await table.findMany(keys, EVENTUALLY)).map(item => readBlock.parse(item))
  const bySk = new Map(found.map(({ sk, postings }) => [sk, postings]))
  return keys.flatMap(({ sk }) => bySk.get(sk) ?? [])
}
