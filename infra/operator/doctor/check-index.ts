// Checks the search index: the document of every public post, and its words in the segments. One scan keeps
// sums, but no texts.
import { Post } from '../../../shared/posts/post.ts'
import { belongsInIndex, documentOf, type SearchDocument, termsOf } from '../../../shared/search/document.ts'
import { findDocuments, storedDoc, unpackDoc } from '../../../shared/search/documents.ts'
import { readIndexState } from '../../../shared/search/index-state.ts'
import type { Posting } from '../../../shared/search/posting.ts'
import { entriesOfSegment } from '../../../shared/search/segment-reader.ts'
import type { Table } from '../../../shared/table/client.ts'
import { slices } from '../../../shared/table/concurrency.ts'
import { docKey, type Item, type Key, kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { isBusy, readConsistently } from '../../../shared/table/retrying.ts'
import type { Context } from '../command.ts'
import { posts } from '../record-types.ts'
import { digestOf, keyOf, type Problem } from './compare.ts'
import { findPostsToIndex, isUpToDate, rebuildIndex } from './rebuild-index.ts'

/** By post id. What must be there is added, what is there is subtracted: what is as it must be has no sum. */
type Balance = Map<number, number>

function addTo(balance: Balance, id: number, value: number): void {
  const sum = (balance.get(id) ?? 0) + value
  if (sum === 0) {
    balance.delete(id)
  } else {
    balance.set(id, sum)
  }
}

type ScannedIndex = ReturnType<typeof openIndexScan>

/** Posts against their documents, and the words of documents, which the segments must have. */
export function openIndexScan() {
  const documents: Balance = new Map()
  const words: Balance = new Map()
  const unreadable: Key[] = []

  /** A document that is replaced while it is read is suspected, and then read again with its post. */
  const add = async (item: Item): Promise<void> => {
    const { data: post = null } = posts.isRecord(item) ? Post.safeParse(item) : {}
    if (belongsInIndex(post)) addTo(documents, post.id, digestOfDocument(documentOf(post, '')))
    if (kindOf(item.pk) !== ('DOC' satisfies Kind) || item.sk !== docKey(0).sk) return
    const stored = storedDoc(item)
    const doc = stored && (await unpackDoc(stored))
    if (!doc) return void unreadable.push(keyOf(item))
    addTo(documents, doc.id, -digestOfDocument(doc))
    addTo(words, doc.id, sumOf(doc))
  }
  return { add, documents, words, unreadable }
}

/** The words of the body are left out: the document contains a digest of the body. */
function digestOfDocument(doc: SearchDocument): number {
  return digestOf({ ...docKey(doc.id), ...doc, body: [] })
}

/** Repairs by a rebuild, also while the service searches and writes. */
export async function checkIndex(
  context: Context,
  { documents, words, unreadable }: ScannedIndex,
  repair: boolean,
): Promise<Problem[]> {
  const { table } = context.target
  const outdated = await outdatedPosts(table, [...documents.keys()])
  const inSegments = await checkSegments(table, words)
  const wrong = inSegments.posts.filter(id => !outdated.includes(id))
  const problemOf = (subject: string, message: string) => ({ subject, message, isRepaired: repair })
  const problems = [
    ...unreadable.map(({ pk }) => problemOf(`search index of post ${nameIn(pk)}`, 'cannot be read.')),
    ...inSegments.unreadable.map(name => problemOf(`search segment ${name}`, 'cannot be read.')),
    ...outdated.map(id => problemOf(`post ${id}`, 'the search index is out of date for it.')),
    ...wrong.map(id => problemOf(`post ${id}`, 'searches find other words of it.')),
  ]
  if (repair && problems.length > 0) {
    await table.removeMany(unreadable)
    await rebuildIndex(context)
  }
  return problems
}

const POSTS_AT_ONCE = 30

/** Reads posts and documents again, since the service may have been writing them. */
async function outdatedPosts(table: Table, suspected: number[]): Promise<number[]> {
  const outdated: number[] = []
  for (const ids of slices(suspected, POSTS_AT_ONCE)) {
    const posts = await findPostsToIndex(table, ids, () => undefined)
    const wrong = posts.filter(post => !isUpToDate(post))
    for (const { id } of wrong) outdated.push(id)
  }
  return outdated.sort((a, b) => a - b)
}

/**
 * Posts of which the segments have other words than their documents, and segments that cannot be read.
 * `words`: of the documents, as the scan found them. The documents of suspects are read again.
 */
function checkSegments(table: Table, words: Balance): Promise<{ posts: number[]; unreadable: string[] }> {
  return readConsistently('The search index', table, async table => {
    const state = await readIndexState(table)
    const left = new Map(words)
    const unreadable: string[] = []
    for (const segment of state.manifest?.segments ?? []) {
      try {
        for await (const { term, plus, minus } of entriesOfSegment(table, segment)) {
          for (const posting of plus) addTo(left, posting.id, -hashOf(term, posting))
          for (const posting of minus) addTo(left, posting.id, hashOf(term, posting))
        }
      } catch (error) {
        if (isBusy(error)) throw error
        unreadable.push(segment.name)
      }
    }
    if (unreadable.length + left.size === 0) return { posts: [], unreadable }
    // Without one segment, the others say little.
    if (unreadable.length > 0) left.clear()
    const documents = await findDocuments(table, [...left.keys()])
    const after = await readIndexState(table)
    if (after.manifest?.stamp !== state.manifest?.stamp) return undefined
    // The segments do not have the words of a pending post yet.
    const pending = new Set([...state.pending, ...after.pending].map(({ id }) => id))
    const isWrong = ([id, sum]: [number, number]) => {
      const [doc, inSegments] = [documents.get(id), (words.get(id) ?? 0) - sum]
      return !pending.has(id) && (doc ? sumOf(doc) : 0) !== inSegments
    }
    return { posts: [...left].filter(isWrong).map(([id]) => id), unreadable }
  })
}

function sumOf(doc: SearchDocument): number {
  let sum = 0
  for (const [term, posting] of termsOf(doc)) sum += hashOf(term, posting)
  return sum
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
