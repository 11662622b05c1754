// The documents of pending posts, which searches look through in memory.

import { perTable, type Table } from '../../table/client.ts'
import { docKey, dueDocKey, type Key, replacedDocKey } from '../../table/design.ts'
import type { DocumentChange } from '../entry.ts'
import { hasWords, type PendingPost } from '../pending.ts'
import { type DocAt, docName, findDocsAt } from './documents.ts'

/** More than one search looks through; 50 bytes each. */
const MAX_KEPT = 500
const MAX_KEPT_WORDS = 700_000

/** By the key of the document and its revision. */
type Kept = { docs: Map<string, DocAt>; words: number }
const keptOf = perTable((): Kept => ({ docs: new Map(), words: 0 }))

/** In the order of `pending`. Undefined if a post has changed or was merged since the state was read. */
export async function readPendingDocuments(
  table: Table,
  pending: PendingPost[],
): Promise<DocumentChange[] | undefined> {
  const kept = keptOf(table)
  const wanted = pending.flatMap(post => [newestOf(post) ?? [], mergedOf(post) ?? []].flat())
  const known = new Map(wanted.map(one => [nameOf(one), kept.docs.get(nameOf(one))]))
  const missing = wanted.filter(one => !known.get(nameOf(one)))
  const read =
    missing.length > 0
      ? await findDocsAt(
          table,
          missing.map(({ key }) => key),
        )
      : new Map<string, DocAt>()
  for (const { key } of missing) {
    const doc = read.get(docName(key))
    if (doc) keep(kept, nameOf({ key, revision: doc.revision }), doc)
  }
  /** A newer document than wanted belongs to a change that is not in the state yet, but that is committed. */
  const docOf = (one: WantedDoc | undefined) =>
    one && (known.get(nameOf(one)) ?? read.get(docName(one.key)))?.doc
  const changes = pending.map(post => ({ before: docOf(mergedOf(post)), after: docOf(newestOf(post)) }))
  const isComplete = pending.every(
    ({ newest, merged }, n) =>
      (merged === undefined || changes[n]?.before) && (!hasWords(newest) || changes[n]?.after),
  )
  return isComplete ? changes : undefined
}

type WantedDoc = { key: Key; revision: number }

function newestOf({ id, newest }: PendingPost): WantedDoc | undefined {
  if (!hasWords(newest)) return undefined
  return { key: newest.state === 'due' ? dueDocKey(id) : docKey(id), revision: newest.revision }
}

function mergedOf({ id, merged }: PendingPost): WantedDoc | undefined {
  return merged === undefined ? undefined : { key: replacedDocKey(id, merged), revision: merged }
}

function nameOf({ key, revision }: WantedDoc): string {
  return `${docName(key)} ${revision}`
}

function keep(kept: Kept, name: string, doc: DocAt): void {
  if (kept.docs.has(name)) return
  kept.docs.set(name, doc)
  kept.words += wordsIn(doc)
  for (const [oldest, left] of kept.docs) {
    if (kept.docs.size <= MAX_KEPT && kept.words <= MAX_KEPT_WORDS) return
    kept.docs.delete(oldest)
    kept.words -= wordsIn(left)
  }
}

function wordsIn({ doc: { title, short, body } }: DocAt): number {
  return title.length + short.length + body.length
}
