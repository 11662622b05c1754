// Creates subscriptions, events and messages for the tests of deliveries, and reads records and counts.
import * as z from 'zod/mini'
import { newToken } from '../../shared/accounts/commands/tokens.ts'
import { changeUser, createUser } from '../../shared/accounts/commands/users.ts'
import { withBan } from '../../shared/accounts/user.ts'
import { EVENTS } from '../../shared/events/catalogue.ts'
import { type DeliveriesMessage, type EventMessage, newEventId } from '../../shared/events/message.ts'
import { isoTime } from '../../shared/http/time.ts'
import type { Table } from '../../shared/table/client.ts'
import { deliveryKey } from '../../shared/table/design.ts'
import { nextId } from '../../shared/table/next-id.ts'
import { addWebhook, changeWebhook, removeWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { firstAttempt } from '../../shared/webhooks/delivery.ts'
import type { WebhookChange, WebhookInput } from '../../shared/webhooks/inputs.ts'
import { sealHeaders, sealSecret } from '../../shared/webhooks/secret.ts'
import { getWebhook } from '../../shared/webhooks/store/webhooks.ts'
import { changedWebhook, newWebhook, type WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { environment } from './workers.ts'

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

type SubscribeOptions = Partial<Omit<WebhookInput, 'name' | 'url'>> & {
  ownerId?: number
  sinceMs?: number
  is_active?: boolean
}

let owners = 0
async function createOwner(table: Table, nowMs: number): Promise<number> {
  const email = `owner${++owners}@example.com`
  const owner = { name: 'Owner', email, email_verified: true, password_hash: null }
  const { id } = await createUser(table, owner, Math.floor(nowMs / 1000))
  await createToken(table, id, nowMs)
  return id
}

/** Creates an admin token of the user. */
export async function createToken(table: Table, user_id: number, nowMs = Date.now()) {
  const given = { user_id, name: 'test', abilities: ['admin' as const] }
  const { action, token } = await newToken(table, given, Math.floor(nowMs / 1000))
  await table.transact([action])
  return token
}

/** Creates a subscription as the API does, at the time `sinceMs`. Without `ownerId`, it creates an owner. */
export async function subscribe(
  table: Table,
  url: string,
  {
    ownerId,
    events = ['*'],
    sinceMs = Date.now() - 1_000,
    is_active = true,
    headers,
    ...others
  }: SubscribeOptions = {},
): Promise<WebhookRecord> {
  const owner_id = ownerId ?? (await createOwner(table, sinceMs))
  const id = await nextId(table, 'webhook')
  const sealed_secret = sealSecret(environment, id, SECRET)
  const given = { id, owner_id, sealed_secret, ...sealHeaders(environment, id, headers) }
  const created = newWebhook(given, { name: 'Site', url, events, ...others }, sinceMs)
  const webhook = { ...created, is_active }
  await addWebhook(unitOfWorkOn(table, sinceMs), webhook, { data: {} })
  return webhook
}

export function newEvent(members: Partial<EventMessage> = {}): EventMessage {
  const happened_ms = members.happened_ms ?? Date.now()
  return {
    kind: 'event',
    id: newEventId(happened_ms),
    event: 'post.published',
    occurred_at: isoTime(Math.floor(happened_ms / 1000)),
    happened_ms,
    request_id: 'request-1',
    data: EVENTS['post.published'].sample,
    ...members,
  }
}

/** A message for all of the subscriptions. */
export function messageTo(webhooks: WebhookRecord[], event = newEvent()): DeliveriesMessage {
  return { attempts: webhooks.map(webhook => firstAttempt(webhook, event.id)), event }
}

type Owned = Pick<WebhookRecord, 'owner_id' | 'id'>

export function refOf({ owner_id, id }: Owned) {
  return { ownerId: owner_id, id }
}

export async function countsOf(table: Table, webhook: Owned) {
  const { total, failed } = await getWebhook(table, refOf(webhook))
  return { total, failed }
}

/** Bans the owner of a subscription, until these seconds or for ever. */
export function banOwner(table: Table, { owner_id }: Owned, until: number | null = null) {
  return changeUser(table, owner_id, user => withBan(user, { reason: null, until }))
}

/** Changes a subscription as the API does. */
export function change(table: Table, webhook: WebhookRecord, to: WebhookChange, nowMs = Date.now()) {
  const rule = (read: WebhookRecord) => changedWebhook(read, to, nowMs)
  return changeWebhook(unitOfWorkOn(table, nowMs), refOf(webhook), rule)
}

export function remove(table: Table, webhook: Owned) {
  return removeWebhook(unitOfWorkOn(table), refOf(webhook))
}

export function storedDelivery({ table }: { table: Table }, { id }: WebhookRecord, event: EventMessage) {
  return table.find(deliveryKey(id, event.id), z.looseObject({ status: z.string() }))
}
