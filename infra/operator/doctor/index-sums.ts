// What a pass over all items sees of the search index: of each post how it should be in it and how it is, of each term
// a sum that is nothing when its postings are those of the posts. Contents are not kept.
import { createHash } from 'node:crypto'
import { Post } from '../../../shared/posts/post.ts'
import { type Doc, docOf, isIndexed, postingsOf } from '../../../shared/search/doc.ts'
import type { Posting } from '../../../shared/search/posting.ts'
import { readNoted, Stored } from '../../../shared/search/store/docs.ts'
import { countOf, isLarge, readBlock, readTerm } from '../../../shared/search/term.ts'
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn, postKey } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { isBusy } from '../../../shared/table/retrying.ts'

export type IndexSums = {
  /** Digests by id: of posts that are to be found, and of posts as the index says that it has them. */
  should: Map<number, string>
  is: Map<number, string>
  /** Posts that are left out of every find. */
  leftOut: Set<number>
  terms: Map<string, number>
  unreadable: Item[]
}

export function noSums(): IndexSums {
  return {
    should: new Map(),
    is: new Map(),
    leftOut: new Set(),
    terms: new Map(),
    unreadable: [],
  }
}

export async function noteIndex(table: Table, sums: IndexSums, items: Item[]): Promise<void> {
  await Promise.all(items.map(item => noteItem(table, sums, item)))
}

async function noteItem(table: Table, sums: IndexSums, item: Item): Promise<void> {
  try {
    await NOTING.get(kindOf(item.pk))?.(sums, item, table)
  } catch (error) {
    if (isBusy(error)) throw error
    sums.unreadable.push(item)
  }
}

type Note = (sums: IndexSums, item: Item, table: Table) => Promise<void> | void

const notePost: Note = ({ should }, item) => {
  const { data: post = null } = item.sk === postKey(0).sk ? Post.safeParse(item) : {}
  if (isIndexed(post)) should.set(post.id, digestOf(docOf(post, '')))
}

/** One that is replaced meanwhile is seen when its post is looked at by itself. */
const noteDoc: Note = async ({ is, terms }, item, table) => {
  const noted = await readNoted(table, Stored.parse(item))
  const [doc] = noted?.docs ?? []
  is.set(Number(nameIn(item.pk)), noted?.state === 'whole' && doc ? digestOf(doc) : 'open')
  if (doc) for (const [term, posting] of postingsOf(doc)) add(terms, term, markOf(posting))
}

/** The body's words are known by its digest. */
function digestOf(doc: Doc): string {
  return createHash('sha1')
    .update(JSON.stringify({ ...doc, body: [] }))
    .digest('base64')
}

const noteTerm: Note = ({ terms }, item) => {
  const term = readTerm.parse(item)
  const { posts, pages } = countOf(term)
  if (isLarge(term)) {
    add(terms, term.term, -COUNTED * (posts + pages))
  } else {
    for (const posting of term.postings) add(terms, term.term, -markOf(posting))
  }
}

/** What is in blocks is counted by the term. */
const noteBlock: Note = ({ terms }, item) => {
  for (const posting of readBlock.parse(item).postings) add(terms, nameIn(item.pk), COUNTED - markOf(posting))
}

const NOTING = new Map<string, Note>([
  ['POST' satisfies Kind, notePost],
  ['DOC' satisfies Kind, noteDoc],
  ['UNINDEXED' satisfies Kind, ({ leftOut }, { sk }) => void leftOut.add(Number(sk))],
  ['TERM' satisfies Kind, noteTerm],
  ['POSTINGS' satisfies Kind, noteBlock],
])

const COUNTED = 1_000_003
/** Sums stay whole numbers. */
const MODULUS = 2 ** 50

function add(terms: Map<string, number>, term: string, value: number): void {
  const sum = ((terms.get(term) ?? 0) + value) % MODULUS
  if (sum === 0) {
    terms.delete(term)
  } else {
    terms.set(term, sum)
  }
}

/** A number that tells postings apart. */
function markOf({ weight, posted_at, id, is_page }: Posting): number {
  return createHash('sha1').update(`${weight} ${posted_at} ${id} ${is_page}`).digest().readUInt32BE()
}
