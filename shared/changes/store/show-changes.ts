// Shows the changes since a cursor.
import { findLastPlace } from '../../feed/changes.ts'
import { type Reply, withCursor } from '../../http/reply.ts'
import { type CursorPlace, openCursor, sealCursor } from '../../lists/cursor.ts'
import type { Table } from '../../table/client.ts'
import type { Change } from '../contract.ts'
import { hourOf, isOld, Position, positionNow, requireHolding } from '../position.ts'
import { type Answerable, type Rows, takeTargets } from '../told.ts'
import { changeOf, type States } from '../view.ts'
import { rowsAfter } from './rows.ts'
import { countFitting, findItems, findStates, type Include, MOST_WITH_BODIES } from './states.ts'

export type ChangesQuery = { since?: string | undefined; limit: number; include?: Include }

type Reader = { table: Table; nowMs: number; nowSeconds: number }

/** Throws VALIDATION_ERROR for a broken cursor, CURSOR_EXPIRED for one that is too old. */
export async function showChanges(
  { table, nowMs, cursorPlace }: { table: Table; nowMs: number; cursorPlace: CursorPlace },
  { since, limit, include }: ChangesQuery,
): Promise<Reply<Change[]>> {
  const reader: Reader = { table, nowMs, nowSeconds: Math.floor(nowMs / 1000) }
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
  const { changes, next, hasMore } = await readFitting(reader, start, rows, { limit, include })
  return answer(changes, next, hasMore)
}

type Shown = { changes: Change[]; next: Position; hasMore: boolean }

/** Fewer targets than `limit` if one answer would read too much, or be too large. */
async function readFitting(
  reader: Reader,
  start: Position,
  rows: Rows,
  { limit, include }: { limit: number; include: Include },
): Promise<Shown> {
  const take = (most: number) => takeTargets(start, rows, most, reader.nowSeconds)
  const all = take(include === 'body' ? Math.min(limit, MOST_WITH_BODIES) : limit)
  const states = await findStates(reader, all.told)
  if (!include) return { ...all, changes: all.told.flatMap(one => changeOf(one, states) ?? []) }
  const fitting = take(countFitting(all.told, states, include))
  return showFitting(
    { ...states, items: await findItems(reader, fitting.told, states, include) },
    fitting,
    take,
  )
}

/** Below the largest answer of a function, which contains the JSON as a text in JSON. */
const MAX_BYTES = 5_000_000

function showFitting(
  states: States,
  { told, ...rest }: Answerable,
  take: (most: number) => Answerable,
): Shown {
  const changes: Change[] = []
  let bytes = 0
  for (const [n, one] of told.entries()) {
    const change = changeOf(one, states)
    if (!change) continue
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(change)))
    if (bytes > MAX_BYTES && n > 0) return showFitting(states, take(n), take)
    changes.push(change)
  }
  return { ...rest, changes }
}
