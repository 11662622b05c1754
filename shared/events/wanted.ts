// Which events a subscription wants. Subscriptions are counted by the events that they name. A change whose
// event none of them wants has no row in the outbox: that none does is a condition of its transaction.
import * as z from 'zod/mini'
import { type Action, failedAs } from '../table/action.ts'
import { perTable, type Table } from '../table/client.ts'
import { type Item, wantedKey } from '../table/design.ts'
import { EVERY_EVENT, type EventMessage } from './message.ts'

/** Transactions that name the same item conflict, so each function uses one of several copies. */
const COPIES = 4
/** For so long a function may send an event that no subscription wants any more. */
const REMEMBERED_MS = 30_000
/** The meaning of the condition. */
const WANTED = 'wanted'

/** By the name of the event, the number of active subscriptions that name it. */
type WantedCounts = Record<string, number>
/** Such counts, and the keys of the item. */
const StoredCounts = z.record(z.string(), z.unknown())
type StoredCounts = z.infer<typeof StoredCounts>

const memoryOf = perTable(() => ({
  copy: Math.floor(Math.random() * COPIES),
  counts: undefined as Promise<StoredCounts> | undefined,
  readMs: 0,
}))

/** A message for fan-out. */
export type FiredEvent = { queue: 'events'; body: EventMessage }

/**
 * Calls `write` with the events that a subscription wants, and with the condition that none wants the others.
 * Starts again if a subscription came in between.
 */
export async function writeWanted<T>(
  table: Table,
  fired: FiredEvent[],
  write: (wanted: FiredEvent[], conditions: Action[]) => Promise<T>,
): Promise<T> {
  if (fired.length === 0) return await write([], [])
  for (;;) {
    const counts = await findWanted(table)
    const isWanted = ({ body }: FiredEvent) => Boolean(counts[EVERY_EVENT] || counts[body.event])
    const unwanted = fired.filter(event => !isWanted(event)).map(({ body }) => body.event)
    try {
      return await write(fired.filter(isWanted), unwanted.length > 0 ? [noneWants(table, unwanted)] : [])
    } catch (error) {
      // Any other condition that failed is found again.
      if (!failedAs(error, WANTED)) throw error
      forget(table)
    }
  }
}

/** As read in the last seconds. The condition of the transaction says whether it still holds. */
export function findWanted(table: Table): Promise<StoredCounts> {
  const memory = memoryOf(table)
  if (memory.counts && performance.now() - memory.readMs <= REMEMBERED_MS) return memory.counts
  const counts = table.find(wantedKey(memory.copy), StoredCounts).then(stored => stored ?? {})
  counts.catch(() => forget(table))
  Object.assign(memory, { counts, readMs: performance.now() })
  return counts
}

function forget(table: Table): void {
  memoryOf(table).counts = undefined
}

function noneWants(table: Table, events: string[]): Action {
  const names = [...new Set([EVERY_EVENT, ...events])]
  return {
    onConditionFailed: WANTED,
    ConditionCheck: {
      Key: wantedKey(memoryOf(table).copy),
      ConditionExpression: names
        .map((_, n) => `(attribute_not_exists(#n${n}) OR #n${n} = :none)`)
        .join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(names.map((name, n) => [`#n${n}`, name])),
      ExpressionAttributeValues: { ':none': 0 },
    },
  }
}

/** For the transaction of a subscription: the events that it wants before and after. */
export function countWanted(before: string[], after: string[]): Action[] {
  const counts = countsOf([after])
  for (const name of new Set(before)) counts[name] = (counts[name] ?? 0) - 1
  const changed = Object.entries(counts).filter(([, count]) => count !== 0)
  if (changed.length === 0) return []
  return wantedCopies({}).map(Key => ({
    Update: {
      Key,
      UpdateExpression: `ADD ${changed.map((_, n) => `#n${n} :n${n}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(changed.map(([name], n) => [`#n${n}`, name])),
      ExpressionAttributeValues: Object.fromEntries(changed.map(([, count], n) => [`:n${n}`, count])),
    },
  }))
}

/** The counts of subscriptions, each of which is given by the events that it names. */
export function countsOf(subscriptions: string[][]): WantedCounts {
  const counts: WantedCounts = {}
  for (const names of subscriptions) {
    for (const name of new Set(names)) counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** The items of all copies, which are the same. */
export function wantedCopies(counts: WantedCounts): Item[] {
  return Array.from({ length: COPIES }, (_, copy) => ({ ...wantedKey(copy), ...counts }))
}
