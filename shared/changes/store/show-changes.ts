// Shows the changes since a cursor.
import { findLastPlace } from '../../feed/changes.ts'
import { type Reply, withCursor } from '../../http/reply.ts'
import { type CursorPlace, openCursor, sealCursor } from '../../lists/cursor.ts'
import type { Table } from '../../table/client.ts'
import type { Change } from '../contract.ts'
import { hourOf, isOld, Position, positionNow, requireHolding } from '../position.ts'
import { changeOf } from '../view.ts'
import { type Rows, rowsAfter } from './rows.ts'
import { POSTS_LIMITS, type PostsReader } from './shown-posts.ts'
import { type Include, statesOf } from './states.ts'
import { takeTargets } from './told.ts'

export type ChangesQuery = { since?: string | undefined; limit: number; include?: Include }

/** `limits`: smaller ones in tests. */
type Source = { table: Table; nowMs: number; cursorPlace: CursorPlace; limits?: PostsReader['limits'] }
type Reader = PostsReader & { nowMs: number }

/** Throws VALIDATION_ERROR for a broken cursor, CURSOR_EXPIRED for one that is too old. */
export async function showChanges(
  { table, nowMs, cursorPlace, limits = POSTS_LIMITS }: Source,
  { since, limit, include }: ChangesQuery,
): Promise<Reply<Change[]>> {
  const reader: Reader = { table, nowMs, nowSeconds: Math.floor(nowMs / 1000), limits }
  const answer = (data: Change[], next: Position, more: boolean) =>
    withCursor(data, { next: sealCursor(next, cursorPlace), more })
  if (since === undefined) {
    return answer([], positionNow(await findLastPlace(reader), reader.nowSeconds), false)
  }
  const start = openCursor(since, { ...cursorPlace, parameter: 'since', schema: Position })
  requireHolding(start, reader.nowSeconds)
  const rows = await rowsAfter(reader, start, limit)
  if (rows.rows.length === 0) {
    const issued = isOld(start, reader.nowSeconds) ? hourOf(reader.nowSeconds) : start.issued
    return answer([], { ...start, issued }, false)
  }
  const { changes, next, hasMore } = await takeFitting(reader, start, rows, { limit, include })
  return answer(changes, next, hasMore)
}

/** Below the largest answer of a function, which contains the JSON as a text in JSON. */
const MAX_BYTES = 5_000_000

/** Fewer targets if the items would be larger than an answer. */
async function takeFitting(
  reader: Reader,
  start: Position,
  rows: Rows,
  { limit, include }: { limit: number; include: Include },
): Promise<{ changes: Change[]; next: Position; hasMore: boolean }> {
  const { told, next, hasMore } = await takeTargets(reader, start, rows, limit)
  const states = await statesOf(reader, told, include)
  const changes: Change[] = []
  let bytes = 0
  for (const [n, one] of told.entries()) {
    const change = changeOf(one, states)
    if (!change) continue
    bytes += include ? Buffer.byteLength(JSON.stringify(JSON.stringify(change))) : 0
    if (bytes > MAX_BYTES && n > 0) return await takeFitting(reader, start, rows, { limit: n, include })
    changes.push(change)
  }
  return { changes, next, hasMore }
}
