// Reads the feed: the changes after a place, once their transactions are visible as a whole.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { SETTLED_AFTER_MS } from '../cache/version.ts'
import { perTable, type Table } from '../table/client.ts'
import { CHANGES_PARTITION, changeKey } from '../table/design.ts'
import { ChangeRow, PLACES_PER_MS } from './note.ts'

/** Even by a clock that is some seconds wrong, a change of this age is visible as a whole. */
const SURELY_SETTLED_MS = 5_000

type Reader = { table: Table; nowMs: number }

/** When this function first saw the highest place that it knows. */
const newestOf = perTable(() => ({ place: 0, sinceMs: 0 }))

/** The changes after a place, oldest first. Everything that was written before the last one is visible. */
export async function listChanges(reader: Reader, after: number, limit: number): Promise<ChangeRow[]> {
  const { table, nowMs } = reader
  const query = () => table.query({ pk: CHANGES_PARTITION, from: changeKey(after + 1).sk, limit }, ChangeRow)
  const found = await query()
  const last = found.at(-1)
  const rows = last && (await waitForCommits(reader, last.place)) ? await query() : found
  return rows.filter(row => last && row.place <= last.place && row.expires * 1000 > nowMs)
}

const PlaceOnly = z.lazy(() => z.object({ place: z.int() }))

/** The place of the last change; 0 without one. Everything that was written before it is visible. */
export async function findLastPlace(reader: Reader): Promise<number> {
  const span = { pk: CHANGES_PARTITION, descending: true, limit: 1, only: ['place'] }
  const [last] = await reader.table.query(span, PlaceOnly)
  if (last) await waitForCommits(reader, last.place)
  return last?.place ?? 0
}

/** Until all that was written before this place is visible. Returns whether it had to wait. */
async function waitForCommits({ table, nowMs }: Reader, place: number): Promise<boolean> {
  if (nowMs - place / PLACES_PER_MS > SURELY_SETTLED_MS) return false
  const newest = newestOf(table)
  if (place > newest.place) Object.assign(newest, { place, sinceMs: performance.now() })
  const waitMs = newest.sinceMs + SETTLED_AFTER_MS - performance.now()
  if (waitMs <= 0) return false
  await pause(waitMs)
  return true
}
