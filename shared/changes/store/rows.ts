// Reads the rows after a position: of the feed, and of the schedule what has become due since.
import { listChanges } from '../../feed/changes.ts'
import { listDueAfter } from '../../posts/store/scheduled.ts'
import type { Table } from '../../table/client.ts'
import { merged, rowOfFeed, rowOfSchedule } from '../change.ts'
import type { Position } from '../position.ts'
import type { Rows } from '../told.ts'

/** One round trip and, if nothing has changed, two units. */
export async function rowsAfter(
  reader: { table: Table; nowMs: number },
  { place, due }: Position,
  limit: number,
): Promise<Rows> {
  const most = limit + 1
  const [feed, schedule] = await Promise.all([
    listChanges(reader, place, most),
    listDueAfter(reader.table, due, Math.floor(reader.nowMs / 1000), most),
  ])
  return {
    rows: merged(feed.map(rowOfFeed), schedule.map(rowOfSchedule), most),
    isAll: feed.length < most && schedule.length < most,
  }
}
