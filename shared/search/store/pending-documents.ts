// The documents of pending posts, which searches look through in memory.
import type { Table } from '../../table/client.ts'
import { docKey, replacedDocKey } from '../../table/design.ts'
import type { Key } from '../../table/key.ts'
import { perTable } from '../../table/per-table.ts'
import type { DocumentChange } from '../entry.ts'
import type { PendingPost } from '../pending.ts'
import { type DocAt, docName, findDocsAt } from './documents.ts'

/** More than one search looks through. */
const MAX_KEPT = 500

/** By the key of the document and its revision. */
type Kept = Map<string, DocAt>
const keptOf = perTable((): Kept => new Map())

/** In the order of `pending`. Undefined if a post has changed or was merged since the state was read. */
export async function readPendingDocuments(
  table: Table,
  pending: PendingPost[],
): Promise<DocumentChange[] | undefined> {
  const kept = keptOf(table)
  const wanted = pending.flatMap(post => [newestOf(post) ?? [], mergedOf(post) ?? []].flat())
  const missing = wanted.filter(one => !kept.has(nameOf(one)))
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
    one && (kept.get(nameOf(one)) ?? read.get(docName(one.key)))?.doc
  const changes = pending.map(post => ({ before: docOf(mergedOf(post)), after: docOf(newestOf(post)) }))
  const isComplete = pending.every(
    ({ newest, merged }, n) =>
      (merged === undefined || changes[n]?.before) && (newest.state !== 'changed' || changes[n]?.after),
  )
  return isComplete ? changes : undefined
}

type WantedDoc = { key: Key; revision: number }

function newestOf({ id, newest }: PendingPost): WantedDoc | undefined {
  return newest.state !== 'changed' ? undefined : { key: docKey(id), revision: newest.revision }
}

function mergedOf({ id, merged }: PendingPost): WantedDoc | undefined {
  return merged === undefined ? undefined : { key: replacedDocKey(id, merged), revision: merged }
}

function nameOf({ key, revision }: WantedDoc): string {
  return `${docName(key)} ${revision}`
}

function keep(kept: Kept, name: string, doc: DocAt): void {
  kept.set(name, doc)
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_KEPT) return
    kept.delete(oldest)
  }
}
