// The subscriptions that get an event, for fan-out: kept in memory under their version, by event name.

import { watchVersion } from '../../cache/version.ts'
import type { Table } from '../../table/client.ts'
import { perTable } from '../../table/per-table.ts'
import { type FanOutEntry, subscribesTo } from '../webhook.ts'
import { findSubscriptions, isCurrent, type Kept, type Subscriptions } from './version.ts'
import { listFanOutEntries } from './webhooks.ts'

export type Receivers = {
  /** The active subscriptions to the event. */
  entries: FanOutEntry[]
  slow: Subscriptions['slow']
}
type Query = { event: string; nowMs: number }
type Copies = Kept & { all: FanOutEntry[]; byEvent: Map<string, FanOutEntry[]> }

const receiversOf = perTable(table => {
  let copies: Copies | undefined
  const isSettled = watchVersion()
  return async ({ event, nowMs }: Query): Promise<Receivers> => {
    // Read before the subscriptions: one that is written in between raises the version again.
    const { version, slow } = await findSubscriptions(table)
    const mayKeep = isSettled(version)
    const kept = copies && isCurrent(copies, version, nowMs) ? copies : undefined
    const { all, byEvent } = kept ?? (await readAll(table))
    if (mayKeep) copies = kept ?? { version, sinceMs: nowMs, all, byEvent }
    const entries = byEvent.get(event) ?? all.filter(entry => subscribesTo(entry, event))
    byEvent.set(event, entries)
    return { entries, slow }
  }
})

async function readAll(table: Table): Promise<Pick<Copies, 'all' | 'byEvent'>> {
  const all = (await listFanOutEntries(table)).filter(({ is_active }) => is_active)
  return { all, byEvent: new Map() }
}

/** Costs one read unit while no subscription changes. */
export function findReceivers(table: Table, query: Query): Promise<Receivers> {
  return receiversOf(table)(query)
}
