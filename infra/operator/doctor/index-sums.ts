// What one scan keeps of the search index: for each post a digest of the record and of its document, and a
// sum over the words of the document, which the segments must have as well.
import { createHash } from 'node:crypto'
import { Post } from '../../../shared/posts/post.ts'
import {
  belongsInIndex,
  documentOf,
  parseDocument,
  type SearchDocument,
  termsOf,
} from '../../../shared/search/document.ts'
import type { Posting } from '../../../shared/search/posting.ts'
import { DocItem } from '../../../shared/search/store/documents.ts'
import type { Table } from '../../../shared/table/client.ts'
import { docKey, kindOf, postKey, segmentIn } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { unpackText } from '../../../shared/table/large-text.ts'
import { isBusy } from '../../../shared/table/retrying.ts'

export type IndexSums = {
  /** Digests by post id: of the posts as they must be indexed, and of their documents. */
  expected: Map<number, string>
  indexed: Map<number, string>
  /** By post id: the sum over the postings of its document. */
  sums: Map<number, number>
  /** Names of segments of which items are stored. */
  segments: Set<string>
  unreadable: Item[]
}

export function noSums(): IndexSums {
  return {
    expected: new Map(),
    indexed: new Map(),
    sums: new Map(),
    segments: new Set(),
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
    sums.unreadable.push({ pk: item.pk, sk: item.sk })
  }
}

type Add = (sums: IndexSums, item: Item, table: Table) => Promise<void> | void

const addPost: Add = ({ expected }, item) => {
  const { data: post = null } = item.sk === postKey(0).sk ? Post.safeParse(item) : {}
  if (belongsInIndex(post)) expected.set(post.id, digestOf(documentOf(post, '')))
}

/** A document that is replaced while it is read is suspected, and then read again with its post. */
const addDoc: Add = async ({ indexed, sums }, item, table) => {
  if (item.sk !== docKey(0).sk) return
  const text = await unpackText(table, DocItem.parse(item))
  if (text === undefined) return
  const doc = parseDocument(text)
  indexed.set(doc.id, digestOf(doc))
  sums.set(doc.id, sumOfDocument(doc))
}

/** The words of the body are left out: the document contains a digest of the body. */
function digestOf(doc: SearchDocument): string {
  return createHash('sha1')
    .update(JSON.stringify({ ...doc, body: [] }))
    .digest('base64')
}

const ADD_BY_KIND = new Map<string, Add>([
  ['POST' satisfies Kind, addPost],
  ['DOC' satisfies Kind, addDoc],
  ['SEGMENT' satisfies Kind, ({ segments }, { pk }) => void segments.add(segmentIn(pk))],
])

/** Keeps sums within the safe integers. */
const MODULUS = 2 ** 50

export function sumOfDocument(doc: SearchDocument): number {
  let sum = 0
  for (const [term, posting] of termsOf(doc)) sum = addPosting(sum, term, posting, 1)
  return sum
}

/** `sign`: -1 for a posting that is removed. */
export function addPosting(sum: number, term: string, posting: Posting, sign: 1 | -1): number {
  return (((sum + sign * hashOf(term, posting)) % MODULUS) + MODULUS) % MODULUS
}

/** FNV-1a over the term and the posting. */
function hashOf(term: string, { weight, posted_at, id, is_page }: Posting): number {
  let hash = 0x811c9dc5
  const mix = (value: number) => {
    hash = Math.imul(hash ^ value, 0x01000193)
  }
  for (let n = 0; n < term.length; n++) mix(term.charCodeAt(n))
  for (const value of [weight, posted_at, id, Number(is_page)]) mix(value)
  mix(hash >>> 15)
  return hash >>> 0
}
