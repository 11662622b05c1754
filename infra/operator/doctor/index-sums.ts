// What one scan keeps of the search index: a digest for each post, and a sum for each term, 0 if it is right.
import { createHash } from 'node:crypto'
import { Post } from '../../../shared/posts/post.ts'
import {
  belongsInIndex,
  documentOf,
  postingsOf,
  type SearchDocument,
} from '../../../shared/search/document.ts'
import type { Posting } from '../../../shared/search/posting.ts'
import { countsOfList, isLarge } from '../../../shared/search/posting-list.ts'
import { BlockItem, PostingListItem } from '../../../shared/search/posting-list-item.ts'
import { IndexRecordItem, readIndexRecord } from '../../../shared/search/store/index-record.ts'
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn, postKey } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { isBusy } from '../../../shared/table/retrying.ts'

export type IndexSums = {
  /** Digests by post id: of the posts as they must be indexed, and as the index has them. */
  expected: Map<number, string>
  indexed: Map<number, string>
  /** Posts that searches leave out although the index may have them. */
  tombstones: Set<number>
  /** Terms with a sum that is not 0. */
  terms: Map<string, number>
  unreadable: Item[]
}

export function noSums(): IndexSums {
  return {
    expected: new Map(),
    indexed: new Map(),
    tombstones: new Set(),
    terms: new Map(),
    unreadable: [],
  }
}

export async function sumIndex(table: Table, sums: IndexSums, items: Item[]): Promise<void> {
  await Promise.all(items.map(item => addItem(table, sums, item)))
}

async function addItem(table: Table, sums: IndexSums, item: Item): Promise<void> {
  try {
    await ADD_BY_KIND.get(kindOf(item.pk))?.(sums, item, table)
  } catch (error) {
    if (isBusy(error)) throw error
    sums.unreadable.push(item)
  }
}

type Add = (sums: IndexSums, item: Item, table: Table) => Promise<void> | void

const addPost: Add = ({ expected }, item) => {
  const { data: post = null } = item.sk === postKey(0).sk ? Post.safeParse(item) : {}
  if (belongsInIndex(post)) expected.set(post.id, digestOf(documentOf(post, '')))
}

/** A document that is replaced while it is read is suspected, and then read again with its post. */
const addDoc: Add = async ({ indexed, terms }, item, table) => {
  const record = await readIndexRecord(table, IndexRecordItem.parse(item))
  const [doc] = record?.docs ?? []
  indexed.set(Number(nameIn(item.pk)), record?.state === 'indexed' && doc ? digestOf(doc) : 'open')
  if (doc) for (const [term, posting] of postingsOf(doc)) add(terms, term, hashOf(posting))
}

/** The words of the body are left out: the document contains a digest of the body. */
function digestOf(doc: SearchDocument): string {
  return createHash('sha1')
    .update(JSON.stringify({ ...doc, body: [] }))
    .digest('base64')
}

const addTerm: Add = ({ terms }, item) => {
  const term = PostingListItem.parse(item)
  const { posts, pages } = countsOfList(term)
  if (isLarge(term)) {
    add(terms, term.term, -COUNT_UNIT * (posts + pages))
  } else {
    for (const posting of term.postings) add(terms, term.term, -hashOf(posting))
  }
}

/** The term counts the postings in its blocks. */
const addBlock: Add = ({ terms }, item) => {
  for (const posting of BlockItem.parse(item).postings) {
    add(terms, nameIn(item.pk), COUNT_UNIT - hashOf(posting))
  }
}

const ADD_BY_KIND = new Map<string, Add>([
  ['POST' satisfies Kind, addPost],
  ['DOC' satisfies Kind, addDoc],
  ['UNINDEXED' satisfies Kind, ({ tombstones }, { sk }) => void tombstones.add(Number(sk))],
  ['TERM' satisfies Kind, addTerm],
  ['POSTINGS' satisfies Kind, addBlock],
])

/** The weight of one posting in the sum of counts: a prime, so that counts and hashes do not cancel out. */
const COUNT_UNIT = 1_000_003
/** Keeps sums within the safe integers. */
const MODULUS = 2 ** 50

function add(terms: Map<string, number>, term: string, value: number): void {
  const sum = ((terms.get(term) ?? 0) + value) % MODULUS
  if (sum === 0) {
    terms.delete(term)
  } else {
    terms.set(term, sum)
  }
}

function hashOf({ weight, posted_at, id, is_page }: Posting): number {
  return createHash('sha1').update(`${weight} ${posted_at} ${id} ${is_page}`).digest().readUInt32BE()
}
