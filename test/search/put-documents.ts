// Writes documents of new posts with their markers, many at once.

import type { SearchDocument } from '../../shared/search/document.ts'
import { NO_DOC } from '../../shared/search/documents.ts'
import { replaceDoc } from '../../shared/search/index-actions.ts'
import type { Table } from '../../shared/table/client.ts'

/** `writtenMs`: the time of the first; each other is written one millisecond later. */
export async function putDocuments(table: Table, docs: SearchDocument[], writtenMs = 0): Promise<void> {
  const actions = await Promise.all(
    docs.map((doc, n) => replaceDoc(table, { id: doc.id, revision: 1, doc }, NO_DOC, writtenMs + n)),
  )
  await table.putMany(actions.flat().flatMap(action => ('Put' in action ? [action.Put.Item] : [])))
}
