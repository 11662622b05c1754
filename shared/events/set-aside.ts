// Outbox rows that no running version can read, after a rollback for example: kept apart until a version can.

import * as z from 'zod/mini'
import { type Action, ConditionFailed } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { exists } from '../table/conditions.ts'
import { outboxKey, setAsideKey, setAsidePartitions } from '../table/design.ts'
import type { Item } from '../table/key.ts'
import { isBusy } from '../table/retrying.ts'
import { readRow } from './outbox.ts'

export type Unreadable = { item: Item; problem: string }

type Aside = {
  table: Table
  log: (level: 'error', message: string, more: Record<string, unknown>) => void
  nowMs: number
}

/** A transaction holds 100 actions, and a row takes two: one to put it there, one to delete it here. */
const ROWS_AT_ONCE = 50
const PAGE = 100

const Raw = z.looseObject({ pk: z.string(), sk: z.string() })

/** Moves rows out of the outbox, so that the next sweep does not read them again. Returns how many. */
export async function setAside({ table, log, nowMs }: Aside, rows: Unreadable[]): Promise<number> {
  let moved = 0
  for (let n = 0; n < rows.length; n += ROWS_AT_ONCE) {
    const some = rows.slice(n, n + ROWS_AT_ONCE)
    const moves = some.map(({ item, problem }) => ({
      from: item,
      to: { ...item, ...setAsideKey(item), set_aside_ms: nowMs, problem },
    }))
    moved += await move(table, moves, error => log('error', 'outbox rows stay', { problem: String(error) }))
    log('error', 'outbox rows cannot be read and are set aside', {
      rows: some.map(({ item, problem }) => ({ id: item.sk, queue: item.queue, problem })),
      todo: 'Deploy the version that wrote them, then: npm run operator -- redrive',
    })
  }
  return moved
}

type Move = { from: Item; to: Item }

/** Returns how many were moved. Where one cannot be (it left meanwhile, it is too large), the others still are. */
async function move(table: Table, moves: Move[], onFailure: (error: unknown) => void): Promise<number> {
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
        (await move(table, moves.slice(0, half), onFailure)) +
        (await move(table, moves.slice(half), onFailure))
      )
    }
    if (!(error instanceof ConditionFailed)) onFailure(error)
    return 0
  }
}

export type SetAside = { queue: string; problem: string; rows: number }

/** What is set aside, by queue and problem. */
export async function countSetAside(table: Table): Promise<SetAside[]> {
  const Row = z.object({ queue: z.catch(z.string(), 'unknown'), problem: z.string() })
  const spans = setAsidePartitions().map(pk => ({ pk, only: ['queue', 'problem'] }))
  const rows = (await Promise.all(spans.map(span => table.query(span, Row)))).flat()
  const groups = Map.groupBy(rows, ({ queue, problem }) => JSON.stringify([queue, problem]))
  return [...groups.values()].flatMap(([first, ...more]) =>
    first ? [{ ...first, rows: 1 + more.length }] : [],
  )
}

/** How many are set aside, up to `most`, which stands for so many or more. */
export async function countSetAsideUpTo(table: Table, most: number): Promise<number> {
  const spans = setAsidePartitions().map(pk => ({ pk, limit: most, only: ['sk'] }))
  const shards = await Promise.all(spans.map(span => table.query(span, z.object({ sk: z.string() }))))
  return Math.min(most, shards.flat().length)
}

export type BroughtBack = { moved: number; unreadable: number }

/** Puts the rows that this version can read back into the outbox, from where the next sweep sends them. */
export async function bringBack(
  table: Table,
  queue: string | undefined,
  nowMs: number,
): Promise<BroughtBack> {
  const fail = (error: unknown) => {
    throw error
  }
  const brought = { moved: 0, unreadable: 0 }
  for (const pk of setAsidePartitions()) {
    for (let from = ''; ; ) {
      const page = await table.query({ pk, limit: PAGE, ...(from && { from }) }, Raw)
      const wanted = page.filter(item => queue === undefined || item.queue === queue)
      const readable = wanted.filter(item => isReadable(item, nowMs))
      brought.unreadable += wanted.length - readable.length
      for (let n = 0; n < readable.length; n += ROWS_AT_ONCE) {
        const rows = readable.slice(n, n + ROWS_AT_ONCE).map(item => ({ from: item, to: outboxItem(item) }))
        brought.moved += await move(table, rows, fail)
      }
      const last = page.at(-1)
      if (page.length < PAGE || !last) break
      from = `${last.sk}~`
    }
  }
  return brought
}

function isReadable(item: Item, nowMs: number): boolean {
  return 'message' in readRow(item, nowMs)
}

/** As it was before it was set aside. */
function outboxItem({ set_aside_ms: _, problem: __, ...item }: Item): Item {
  return {
    ...item,
    ...outboxKey(item),
  }
}
