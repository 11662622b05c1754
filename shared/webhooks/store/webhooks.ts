// Reads subscriptions: with the counts of their deliveries, for fan-out, and with owners for deliveries.
import * as z from 'zod/mini'
import { planAdmins } from '../../accounts/store/tokens.ts'
import type { User } from '../../accounts/user.ts'
import { notFound } from '../../http/errors.ts'
import { currentSettings } from '../../site/store/settings.ts'
import type { Table } from '../../table/client.ts'
import { FAN_OUT_PARTITION, webhookKey, webhookPartition, webhooksOwnedKey } from '../../table/design.ts'
import { DeliveryCounts, FanOutEntry, WebhookRecord } from '../webhook.ts'

const AnyItem = z.looseObject({})

export type WebhookWithCounts = { webhook: WebhookRecord; counts: DeliveryCounts }
export type WebhookRef = { ownerId: number; id: number }

/** All subscriptions of an owner, by id. */
export async function listWebhooks(table: Table, ownerId: number): Promise<WebhookWithCounts[]> {
  const span = { pk: webhookPartition(ownerId), before: webhooksOwnedKey(ownerId).sk }
  return (await table.query(span, AnyItem)).map(withCounts)
}

/** Throws NOT_FOUND, also for a subscription of another owner. */
export async function getWebhook(table: Table, ref: WebhookRef): Promise<WebhookWithCounts> {
  const item = await table.find(webhookKey(ref.ownerId, ref.id), AnyItem)
  if (!item) throw notFound('Webhook')
  return withCounts(item)
}

export function findWebhook(table: Table, { ownerId, id }: WebhookRef): Promise<WebhookRecord | undefined> {
  return table.find(webhookKey(ownerId, id), WebhookRecord)
}

function withCounts(item: object): WebhookWithCounts {
  return { webhook: WebhookRecord.parse(item), counts: DeliveryCounts.parse(item) }
}

/** All subscriptions of all owners, active or not. */
export function listFanOutEntries(table: Table): Promise<FanOutEntry[]> {
  return table.query({ pk: FAN_OUT_PARTITION }, FanOutEntry)
}

/** Without `found` it was deleted. Without an owner, they are no admin any more. */
export type Subscriber = { found: WebhookWithCounts | undefined; owner: User | undefined }

/** In the order of `refs`, as stored after this call began: in one read with the owners and their tokens. */
export async function findSubscribers(
  table: Table,
  refs: { id: number; owner_id: number }[],
  nowMs: number,
): Promise<Subscriber[]> {
  const webhookKeys = refs.map(({ owner_id, id }) => webhookKey(owner_id, id))
  const { keys, adminsIn } = planAdmins(table, [...new Set(refs.map(({ owner_id }) => owner_id))])
  const [items, settings] = await Promise.all([
    table.findMany([...webhookKeys, ...keys]),
    currentSettings(table, nowMs),
  ])
  const admins = await adminsIn(items, { nowSeconds: Math.floor(nowMs / 1000), settings })
  const byKey = new Map(items.map(item => [`${item.pk} ${item.sk}`, item]))
  return refs.map(({ owner_id }, n) => {
    const item = byKey.get(`${webhookKeys[n]?.pk} ${webhookKeys[n]?.sk}`)
    return { found: item && withCounts(item), owner: admins.get(owner_id) }
  })
}
