// Reads subscriptions: those of an owner, small copies for fan-out, and with their owners for deliveries.
import { planAdmins } from '../../accounts/store/tokens.ts'
import type { User } from '../../accounts/user.ts'
import type { AttemptRef } from '../../events/message.ts'
import { notFound } from '../../http/errors.ts'
import { currentSettings } from '../../site/store.ts'
import type { Table } from '../../table/client.ts'
import { FAN_OUT_PARTITION, webhookKey, webhooksOwnedKey } from '../../table/design.ts'
import { FanOutEntry, WebhookRecord } from '../webhook.ts'

export type WebhookRef = { ownerId: number; id: number }

/** All subscriptions of an owner, by id. */
export function listWebhooks(table: Table, ownerId: number): Promise<WebhookRecord[]> {
  const { pk, sk: before } = webhooksOwnedKey(ownerId)
  return table.query({ pk, before }, WebhookRecord)
}

/** Throws NOT_FOUND, also for a subscription of another owner. */
export async function getWebhook(table: Table, ref: WebhookRef): Promise<WebhookRecord> {
  const webhook = await findWebhook(table, ref)
  if (!webhook) throw notFound('Webhook')
  return webhook
}

export function findWebhook(table: Table, { ownerId, id }: WebhookRef): Promise<WebhookRecord | undefined> {
  return table.find(webhookKey(ownerId, id), WebhookRecord)
}

/** All subscriptions of all owners, active or not. */
export function listFanOutEntries(table: Table): Promise<FanOutEntry[]> {
  return table.query({ pk: FAN_OUT_PARTITION }, FanOutEntry)
}

export type Subscriber = { webhook: WebhookRecord; owner: User }

/**
 * The subscriptions of these attempts, by id, without those of a former admin. One read with the owners and
 * their tokens shows them as stored after this call began.
 */
export async function findSubscribers(
  table: Table,
  attempts: Pick<AttemptRef, 'webhook_id' | 'owner_id'>[],
  nowMs: number,
): Promise<Map<number, Subscriber>> {
  const owners = new Map(attempts.map(({ webhook_id, owner_id }) => [webhook_id, owner_id]))
  const webhookKeys = [...owners].map(([id, ownerId]) => webhookKey(ownerId, id))
  const { keys, adminsIn } = planAdmins(table, [...new Set(owners.values())])
  const [items, settings] = await Promise.all([
    table.findMany([...webhookKeys, ...keys]),
    currentSettings(table, nowMs),
  ])
  const admins = await adminsIn(items, { nowSeconds: Math.floor(nowMs / 1000), settings })
  const subscribers = new Map<number, Subscriber>()
  for (const { pk, sk } of webhookKeys) {
    const item = items.find(item => item.pk === pk && item.sk === sk)
    const webhook = item && WebhookRecord.parse(item)
    const owner = webhook && admins.get(webhook.owner_id)
    if (owner) subscribers.set(webhook.id, { webhook, owner })
  }
  return subscribers
}
