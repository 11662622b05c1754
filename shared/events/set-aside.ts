// Outbox rows that the running version cannot read, e.g. after a rollback, are set aside until a version can.

import * as z from 'zod/mini'
import { measure } from '../metrics/tally.ts'
import { type Action, ConditionFailed } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { exists } from '../table/conditions.ts'
import { outboxKey, setAsideKey, setAsidePartitions } from '../table/design.ts'
import type { Item } from '../table/key.ts'
import { isBusy } from '../table/retrying.ts'
import { readRow } from './outbox.ts'

export type UnreadableRow = { item: Item; problem: string }

type SetAsideContext = {
  table: Table
  log: (level: 'error', message: string, details: Record<string, unknown>) => void
  nowMs: number
}

/** A transaction has at most 100 actions, and a row takes two: a put and a delete. */
const ROWS_AT_ONCE = 50
const PAGE = 100

const AnyItem = z.looseObject({ pk: z.string(), sk: z.string() })

/** Moves rows out of the outbox, so that the next sweep does not read them again. Returns their number. */
export async function setAside(
  { table, log, nowMs }: SetAsideContext,
  rows: UnreadableRow[],
): Promise<number> {
  let moved = 0
  for (let n = 0; n < rows.length; n += ROWS_AT_ONCE) {
    const some = rows.slice(n, n + ROWS_AT_ONCE)
    const moves = some.map(({ item, problem }) => ({
      from: item,
      to: { ...item, ...setAsideKey(item), set_aside_ms: nowMs, problem },
    }))
    moved += await moveRows(table, moves, error =>
      log('error', 'outbox rows stay', { problem: String(error) }),
    )
    log('error', 'outbox rows cannot be read and are set aside', {
      rows: some.map(({ item, problem }) => ({ id: item.sk, queue: item.queue, problem })),
      todo: 'Deploy the version that wrote them, then: npm run operator -- redrive',
    })
  }
  return moved
}

type RowMove = { from: Item; to: Item }

/** Returns the number of moved rows. If one cannot be moved (deleted, too large), the others still are. */
async function moveRows(
  table: Table,
  moves: RowMove[],
  onFailure: (error: unknown) => void,
): Promise<number> {
  if (moves.length === 0) return 0
  const actions = moves.flatMap(({ from: { pk, sk }, to }): Action[] => [
    { Put: { Item: to } },
    { Delete: { Key: { pk, sk }, ...exists } },
  ])
  try {
    await table.transact(actions)
    return moves.length
  } catch (error) {
    const half = Math.ceil(moves.length / 2)
    if (moves.length > 1 && !isBusy(error)) {
      return (
        (await moveRows(table, moves.slice(0, half), onFailure)) +
        (await moveRows(table, moves.slice(half), onFailure))
      )
    }
    if (!(error instanceof ConditionFailed)) onFailure(error)
    return 0
  }
}

export type SetAsideCount = { queue: string; problem: string; rows: number }

/** Counts the rows that are set aside, by queue and problem. */
export async function countSetAside(table: Table): Promise<SetAsideCount[]> {
  const Row = z.object({ queue: z.catch(z.string(), 'unknown'), problem: z.string() })
  const spans = setAsidePartitions().map(pk => ({ pk, only: ['queue', 'problem'] }))
  const rows = (await Promise.all(spans.map(span => table.query(span, Row)))).flat()
  const groups = Map.groupBy(rows, ({ queue, problem }) => JSON.stringify([queue, problem]))
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, rows: 1 + others.length }] : [],
  )
}

/** Counts the rows that are set aside, up to `most`, which means that many or more. */
export async function countSetAsideUpTo(table: Table, most: number): Promise<number> {
  const spans = setAsidePartitions().map(pk => ({ pk, limit: most, only: ['sk'] }))
  const shards = await Promise.all(spans.map(span => table.query(span, z.object({ sk: z.string() }))))
  return Math.min(most, shards.flat().length)
}

export async function measureSetAside(table: Table, most: number): Promise<void> {
  measure('OutboxSetAside', await countSetAsideUpTo(table, most))
}

export type RestoreResult = { moved: number; unreadable: number }

/** Moves the rows that this version can read back to the outbox. The next sweep sends them. */
export async function restoreSetAside(
  table: Table,
  queue: string | undefined,
  nowMs: number,
): Promise<RestoreResult> {
  const fail = (error: unknown) => {
    throw error
  }
  const restored = { moved: 0, unreadable: 0 }
  for (const pk of setAsidePartitions()) {
    for (let from = ''; ; ) {
      const page = await table.query({ pk, limit: PAGE, ...(from && { from }) }, AnyItem)
      const ofQueue = page.filter(item => queue === undefined || item.queue === queue)
      const readable = ofQueue.filter(item => isReadable(item, nowMs))
      restored.unreadable += ofQueue.length - readable.length
      for (let n = 0; n < readable.length; n += ROWS_AT_ONCE) {
        const rows = readable.slice(n, n + ROWS_AT_ONCE).map(item => ({ from: item, to: outboxItem(item) }))
        restored.moved += await moveRows(table, rows, fail)
      }
      const last = page.at(-1)
      if (page.length < PAGE || !last) break
      from = `${last.sk}~`
    }
  }
  return restored
}

function isReadable(item: Item, nowMs: number): boolean {
  return 'message' in readRow(item, nowMs)
}

/** The row as it was before it was set aside. Marked as unsent, so that the next sweep sends it. */
function outboxItem({ set_aside_ms: _, problem: __, ...item }: Item): Item {
  return {
    ...item,
    ...outboxKey(item),
    unsent: true,
  }
}
