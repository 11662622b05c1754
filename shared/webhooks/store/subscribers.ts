// Subscriptions with their owners, for deliveries. Subscriptions are kept in memory under their version.
// Owners and tokens are read each time, in the same call: they are few, and have many writers.
import { planAdmins } from '../../accounts/store/admins.ts'
import type { User } from '../../accounts/user.ts'
import { watchVersion } from '../../cache/version.ts'
import { currentSettings } from '../../site/store/settings.ts'
import type { Table } from '../../table/client.ts'
import { subscriptionsKey, webhookKey } from '../../table/design.ts'
import type { Item } from '../../table/key.ts'
import { perTable } from '../../table/per-table.ts'
import { WebhookRecord } from '../webhook.ts'
import { isCurrent, type Kept, NO_SUBSCRIPTIONS, Subscriptions } from './version.ts'

export type SubscriptionRef = { id: number; owner_id: number }
/** Without a webhook it was deleted. Without an owner, they are no admin any more. */
export type Subscriber = { webhook: WebhookRecord | undefined; owner: User | undefined }
type Query = { refs: SubscriptionRef[]; nowMs: number }
type Copies = Kept & { webhooks: Map<number, WebhookRecord | undefined> }

/** With more, the copies start again. */
const MAX_KEPT = 10_000

const memoryOf = perTable(table => {
  const memory: { copies?: Copies | undefined; slow: Subscriptions['slow'] } = { slow: {} }
  const isSettled = watchVersion()
  const find = async ({ refs, nowMs }: Query): Promise<Subscriber[]> => {
    const { copies } = memory
    const unread = refs.filter(({ id }) => !copies?.webhooks.has(id))
    const { keys, adminsIn } = planAdmins(table, [...new Set(refs.map(({ owner_id }) => owner_id))])
    const [items, settings] = await Promise.all([
      table.findMany([subscriptionsKey, ...keys, ...unread.map(keyOf)]),
      currentSettings(table, nowMs),
    ])
    const { version, slow } = subscriptionsIn(items)
    memory.slow = slow
    const mayKeep = isSettled(version)
    const webhooks = webhooksIn(unread, items)
    const kept = refs.filter(({ id }) => !webhooks.has(id))
    if (copies && isCurrent(copies, version, nowMs)) {
      for (const { id } of kept) webhooks.set(id, copies.webhooks.get(id))
      // The version was the same before this call, so what the call read belongs to it as well.
      if (copies.webhooks.size > MAX_KEPT) copies.webhooks.clear()
      for (const [id, webhook] of webhooks) copies.webhooks.set(id, webhook)
    } else {
      // What this call read may be older than the version: it serves this query, and is not kept.
      const again = kept.length > 0 ? webhooksIn(kept, await table.findMany(kept.map(keyOf))) : new Map()
      for (const [id, webhook] of again) webhooks.set(id, webhook)
      memory.copies = mayKeep ? { version, sinceMs: nowMs, webhooks: again } : undefined
    }
    const admins = await adminsIn(items, { nowSeconds: Math.floor(nowMs / 1000), settings })
    return refs.map(({ id, owner_id }) => ({ webhook: webhooks.get(id), owner: admins.get(owner_id) }))
  }
  return { memory, find }
})

/**
 * In the order of `refs`, as stored after this call began. One read, which costs one unit, and two for each
 * owner.
 */
export function findSubscribers(table: Table, query: Query): Promise<Subscriber[]> {
  return memoryOf(table).find(query)
}

/** The marks of slow subscriptions, as read last. */
export function lastSlow(table: Table): Subscriptions['slow'] {
  return memoryOf(table).memory.slow
}

function keyOf({ id, owner_id }: SubscriptionRef) {
  return webhookKey(owner_id, id)
}

function subscriptionsIn(items: Item[]): Subscriptions {
  const item = items.find(({ pk }) => pk === subscriptionsKey.pk)
  return item ? Subscriptions.parse(item) : NO_SUBSCRIPTIONS
}

function webhooksIn(refs: SubscriptionRef[], items: Item[]): Map<number, WebhookRecord | undefined> {
  const bySortKey = new Map(items.map(item => [`${item.pk} ${item.sk}`, item]))
  return new Map(
    refs.map(ref => {
      const { pk, sk } = keyOf(ref)
      const item = bySortKey.get(`${pk} ${sk}`)
      return [ref.id, item && WebhookRecord.parse(item)]
    }),
  )
}
