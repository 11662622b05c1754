// Builds the search index of a state that a version with another index has written.
import { readIndexState } from '../../shared/search/store/index-state.ts'
import { lastId } from '../../shared/table/next-id.ts'
import { reindex } from '../operator/reindex/reindex.ts'
import { openLocalTable } from './dynamodb/local-table.ts'

type Upgrade = { endpoint: string; tableName: string; log: (line: string) => void }

/** Does nothing if there is an index, or no post. */
export async function upgradeIndex({ endpoint, tableName, log }: Upgrade): Promise<void> {
  const table = openLocalTable(endpoint, tableName)
  const { manifest, markers } = await readIndexState(table)
  if (manifest || markers.length > 0 || (await lastId(table, 'post')) === 0) return
  log('Building the search index …')
  await reindex({ target: { table }, nowMs: Date.now(), progress: { show: () => undefined } })
}
