// The version of all subscriptions. Each write of one raises it, so that one small read proves copies in
// memory to be current. The same item has the marks of slow subscriptions, which raise no version.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { subscriptionsKey } from '../../table/design.ts'

/** Then copies are read again: the doctor writes without raising the version. */
const MAX_KEPT_MS = 30_000

export const Subscriptions = z.object({
  version: z._default(z.int(), 0),
  /** Until when a subscription counts as slow, in milliseconds, by id. */
  slow: z._default(z.record(z.string(), z.int()), {}),
})
export type Subscriptions = z.infer<typeof Subscriptions>

/** What is kept in memory under a version. */
export type Kept = { version: number; sinceMs: number }

/** Whether nothing was written since the copies were read, given the version that was read now. */
export function isCurrent(kept: Kept | undefined, version: number, nowMs: number): boolean {
  return kept?.version === version && nowMs - kept.sinceMs < MAX_KEPT_MS
}

export async function findSubscriptions(table: Table): Promise<Subscriptions> {
  return (await table.find(subscriptionsKey, Subscriptions)) ?? NO_SUBSCRIPTIONS
}

/** Before the first write of a subscription. */
export const NO_SUBSCRIPTIONS: Subscriptions = { version: 0, slow: {} }
