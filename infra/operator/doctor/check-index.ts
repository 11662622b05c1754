// Checks the search index: the document of every public post, its words in the segments, and what searches
// read of a scheduled post from its second on. One scan keeps digests and sums, but no texts.
import { createHash } from 'node:crypto'
import { textOf } from '../../../shared/posts/html-text.ts'
import { Post } from '../../../shared/posts/post.ts'
import { bodyTextOf } from '../../../shared/posts/store/bodies.ts'
import {
  awaitsAnnouncement,
  belongsInIndex,
  documentOf,
  parseDocument,
  type SearchDocument,
  termsOf,
} from '../../../shared/search/document.ts'
import { DocItem, findDocuments } from '../../../shared/search/documents.ts'
import { dueActions } from '../../../shared/search/index-actions.ts'
import { type IndexState, readIndexState } from '../../../shared/search/index-state.ts'
import type { Posting } from '../../../shared/search/posting.ts'
import { entriesOfSegment, SegmentDeleted } from '../../../shared/search/segment-reader.ts'
import { removeUnfinished } from '../../../shared/search/segment-writer.ts'
import { type Action, CONFLICT, ConditionFailed, hasRevision, isNew } from '../../../shared/table/action.ts'
import { unpackText } from '../../../shared/table/blob.ts'
import type { Table } from '../../../shared/table/client.ts'
import { slices } from '../../../shared/table/concurrency.ts'
import {
  bodyKey,
  docKey,
  dueDocKey,
  dueIdIn,
  type Item,
  type Key,
  kindOf,
  nameIn,
  postKey,
  segmentIn,
  segmentItemKey,
} from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { isBusy, readConsistently } from '../../../shared/table/retrying.ts'
import type { Context } from '../command.ts'
import { findPostsToIndex, indexPostAgain, isUpToDate } from './documents-of-posts.ts'
import type { Problem } from './expectations.ts'
import { keyOf, keyText } from './expectations.ts'
import { rebuildIndex } from './rebuild-index.ts'

/** By post id: the sum over its postings. */
type Sums = Map<number, number>

export type ScannedIndex = {
  /** Digests by post id: of the posts as they must be indexed, and of their documents. */
  expected: Map<number, string>
  indexed: Map<number, string>
  sums: Sums
  /** Names of segments of which items are stored. */
  segments: Set<string>
  unreadable: Key[]
  /** Scheduled posts, and those with a document or a marker for their announcement, with these keys. */
  due: Map<number, Key[]>
}

export function newScan(): ScannedIndex {
  return {
    expected: new Map(),
    indexed: new Map(),
    sums: new Map(),
    segments: new Set(),
    unreadable: [],
    due: new Map(),
  }
}

/** A document that is replaced while it is read is suspected, and then read again with its post. */
export async function scanForIndex(table: Table, scanned: ScannedIndex, item: Item): Promise<void> {
  const kind = kindOf(item.pk)
  if (kind === ('POST' satisfies Kind) && item.sk === postKey(0).sk) return scanPost(scanned, item)
  if (kind === ('SEGMENT' satisfies Kind)) return void scanned.segments.add(segmentIn(item.pk))
  if (kind === ('INDEX' satisfies Kind)) return scanDue(scanned, dueIdIn(item.sk), item)
  if (kind !== ('DOC' satisfies Kind)) return
  if (item.sk === dueDocKey(0).sk) return scanDue(scanned, Number(nameIn(item.pk)), item)
  if (item.sk !== docKey(0).sk) return
  try {
    const text = await unpackText(table, DocItem.parse(item))
    if (text === undefined) return
    const doc = parseDocument(text)
    scanned.indexed.set(doc.id, digestOf(doc))
    scanned.sums.set(doc.id, sumOfDocument(doc))
  } catch (error) {
    if (isBusy(error)) throw error
    scanned.unreadable.push(keyOf(item))
  }
}

function scanPost(scanned: ScannedIndex, item: Item): void {
  const { data: post = null } = Post.safeParse(item)
  if (belongsInIndex(post)) scanned.expected.set(post.id, digestOf(documentOf(post, '')))
  if (awaitsAnnouncement(post)) scanned.due.set(post.id, scanned.due.get(post.id) ?? [])
}

function scanDue({ due }: ScannedIndex, id: number | undefined, item: Item): void {
  if (id !== undefined) due.set(id, [...(due.get(id) ?? []), keyOf(item)])
}

/** The words of the body are left out: the document contains a digest of the body. */
function digestOf(doc: SearchDocument): string {
  const text = JSON.stringify({ ...doc, body: [] })
  return createHash('sha1').update(text).digest('base64')
}

const ONLY_REBUILD = 'Only a rebuild of the index repairs it.'
/** A rebuild costs less than indexing more posts one by one. */
const MAX_SINGLY = 100

/** A rebuild repairs everything, so that what else is wrong need not be known. */
export async function checkIndex(
  context: Context,
  scanned: ScannedIndex,
  repair: boolean,
): Promise<Problem[]> {
  const { table } = context.target
  const outdated = await outdatedPosts(table, differing(scanned.expected, scanned.indexed, undefined))
  const { posts, unreadable } = await wrongSegments(table, scanned.sums)
  const wrong = posts.filter(id => !outdated.includes(id))
  const damaged = [
    ...scanned.unreadable.map(({ pk }) => `search index of post ${nameIn(pk)}`),
    ...unreadable.map(name => `search segment ${name}`),
  ]
  const problemOf = (subject: string, message: string) => ({ subject, message, isRepaired: repair })
  const problems = [
    ...damaged.map(subject => problemOf(subject, `cannot be read. ${ONLY_REBUILD}`)),
    ...outdated.map(id => problemOf(`post ${id}`, 'the search index is out of date for it.')),
    ...wrong.map(id => problemOf(`post ${id}`, `searches find other words of it. ${ONLY_REBUILD}`)),
    ...(await checkUnknownSegments(table, scanned.segments, repair)),
  ]
  // A post can be indexed again only if the segments have the words of its document, which are then removed.
  if (repair && (damaged.length > 0 || posts.length > 0 || outdated.length > MAX_SINGLY)) {
    await table.removeMany(scanned.unreadable)
    await rebuildIndex(context)
  } else if (repair) {
    for (const id of outdated) await indexPostAgain(table, id, context.nowMs)
  }
  for (const [id, keys] of scanned.due) {
    for (const problem of await checkDue(table, { id, keys }, repair)) problems.push(problem)
  }
  return problems
}

/** The keys whose values differ, and those that only one of the maps has with another value than `none`. */
function differing<Value>(a: Map<number, Value>, b: Map<number, Value>, none: Value | undefined): number[] {
  const valueIn = (map: Map<number, Value>, id: number) => (map.has(id) ? map.get(id) : none)
  return [...new Set([...a.keys(), ...b.keys()])].filter(id => valueIn(a, id) !== valueIn(b, id))
}

const POSTS_AT_ONCE = 30

/** Reads posts and documents again, since the service may have been writing them. */
async function outdatedPosts(table: Table, suspected: number[]): Promise<number[]> {
  const outdated: number[] = []
  // The words of a long text are read later. Until then its marker says so.
  const { pending } = await readIndexState(table)
  const unread = new Set(pending.filter(({ newest }) => newest.state === 'unread').map(({ id }) => id))
  for (const ids of slices(suspected, POSTS_AT_ONCE)) {
    for (const post of await findPostsToIndex(table, ids)) {
      if ('problem' in post || unread.has(post.id) || isUpToDate(post)) continue
      outdated.push(post.id)
    }
  }
  return outdated.sort((a, b) => a - b)
}

/** Posts of which the segments have other words than their documents, and segments that cannot be read. */
type WrongSegments = { posts: number[]; unreadable: string[] }

/** `sums`: of the documents, as the scan found them. A post that differs is compared again at one moment. */
async function wrongSegments(table: Table, sums: Sums): Promise<WrongSegments> {
  const first = await sumSegments(table)
  if (first.unreadable.length > 0) return { posts: [], unreadable: first.unreadable }
  const suspected = differing(sums, first.sums, 0)
  if (suspected.length === 0) return { posts: [], unreadable: [] }
  return await readConsistently('The search index', table, async table => {
    const { state, sums, unreadable } = await sumSegments(table)
    const documents = await findDocuments(table, suspected)
    const after = await readIndexState(table)
    if (after.manifest?.stamp !== state.manifest?.stamp) return undefined
    // The segments do not have the words of a pending post yet.
    const pending = new Set([...state.pending, ...after.pending].map(({ id }) => id))
    const expected = new Map([...documents].map(([id, doc]) => [id, sumOfDocument(doc)]))
    const isWrong = (id: number) => (expected.get(id) ?? 0) !== (sums.get(id) ?? 0)
    return { posts: suspected.filter(id => !pending.has(id) && isWrong(id)), unreadable }
  })
}

type SegmentSums = { state: IndexState; sums: Sums; unreadable: string[] }

/** Reads all segments of one manifest. If a merge deletes one, reads those of the next manifest. */
function sumSegments(table: Table): Promise<SegmentSums> {
  return readConsistently('The search index', table, async table => {
    const state = await readIndexState(table)
    const sums: Sums = new Map()
    const unreadable: string[] = []
    for (const segment of state.manifest?.segments ?? []) {
      try {
        for await (const { term, plus, minus } of entriesOfSegment(table, segment)) {
          for (const one of plus) sums.set(one.id, addPosting(sums.get(one.id) ?? 0, term, one, 1))
          for (const one of minus) sums.set(one.id, addPosting(sums.get(one.id) ?? 0, term, one, -1))
        }
      } catch (error) {
        if (isBusy(error)) throw error
        if (error instanceof SegmentDeleted && !(await isLive(table, segment.name))) return undefined
        unreadable.push(segment.name)
      }
    }
    return { state, sums, unreadable }
  })
}

async function isLive(table: Table, name: string): Promise<boolean> {
  return (await readIndexState(table)).manifest?.segments.some(segment => segment.name === name) === true
}

/** Keeps sums within the safe integers. */
const MODULUS = 2 ** 50

function sumOfDocument(doc: SearchDocument): number {
  let sum = 0
  for (const [term, posting] of termsOf(doc)) sum = addPosting(sum, term, posting, 1)
  return sum
}

/** `sign`: -1 for a posting that is removed. */
function addPosting(sum: number, term: string, posting: Posting, sign: 1 | -1): number {
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

/** Segments that no manifest names, of runs that were killed. One that is being written is none of them. */
async function checkUnknownSegments(table: Table, stored: Set<string>, repair: boolean): Promise<Problem[]> {
  const { manifest } = await readIndexState(table)
  const known = new Set([
    ...(manifest?.building ?? []),
    ...(manifest?.segments ?? []).map(({ name }) => name),
    ...(manifest?.obsolete ?? []).flatMap(({ segments }) => segments.map(({ name }) => name)),
  ])
  const problems: Problem[] = []
  for (const name of [...stored].filter(name => !known.has(name))) {
    // A merge may have deleted it since the scan.
    const [item] = await table.findMany([segmentItemKey(name, 0)])
    if (!item) continue
    if (repair) await removeUnfinished(table, name)
    const message = 'no search reads it, but items of it are stored.'
    problems.push({ subject: `search segment ${name}`, message, isRepaired: repair })
  }
  return problems
}

/** What searches read of a scheduled post is written in each transaction that changes the post. */
function checkDue(
  table: Table,
  { id, keys }: { id: number; keys: Key[] },
  repair: boolean,
): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const [record] = await table.findMany([postKey(id)])
    const { data: post = null } = Post.safeParse(record)
    if (record && !post) return []
    const expected = post ? await expectedDue(table, post) : []
    if (!expected) return []
    const all = new Map([...keys, ...expected].map(key => [keyText(key), keyOf(key)]))
    const found = new Map((await table.findMany([...all.values()])).map(item => [keyText(item), item]))
    const [after] = await table.findMany([postKey(id)])
    if (after?.revision !== record?.revision) throw new ConditionFailed([CONFLICT])
    const isRight = (item: Item) =>
      found.get(keyText(item))?.digest === item.digest && found.has(keyText(item))
    const unexpected = [...found.keys()].filter(text => !expected.some(item => keyText(item) === text))
    if (expected.every(isRight) && unexpected.length === 0) return []
    if (repair) {
      const condition = post ? hasRevision(post.revision) : isNew
      await table.transact([
        { onConditionFailed: CONFLICT, ConditionCheck: { Key: postKey(id), ...condition } },
        ...expected.map((Item): Action => ({ Put: { Item } })),
        ...unexpected.flatMap((text): Action[] => [{ Delete: { Key: all.get(text) ?? dueDocKey(id) } }]),
      ])
    }
    const message = awaitsAnnouncement(post)
      ? 'what searches read of it from its time on is missing or wrong.'
      : 'searches would read it as a scheduled post, which it is not.'
    return [{ subject: `post ${id}`, message, isRepaired: repair }]
  })
}

/** The document and the marker; none of a text that is too long for a request. Undefined without a body. */
async function expectedDue(table: Table, post: Post): Promise<Item[] | undefined> {
  if (!awaitsAnnouncement(post)) return []
  const body = await bodyTextOf(table, post, (await table.findMany([bodyKey(post.id)]))[0])
  if (body === undefined) return undefined
  const actions = await dueActions({ before: null, after: post, text: () => textOf(body) })
  return actions.flatMap(action => ('Put' in action ? [action.Put.Item] : []))
}
