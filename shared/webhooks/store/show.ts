// The replies about a subscription and its log.
import * as z from 'zod/mini'
import { eventIdAt } from '../../events/message.ts'
import { notFound } from '../../http/errors.ts'
import { type Reply, reply, withCursor } from '../../http/reply.ts'
import { type CursorPlace, openCursor, sealCursor } from '../../lists/cursor.ts'
import type { Table } from '../../table/client.ts'
import type { DeliveriesQuery } from '../contract.ts'
import { deliveryDetail, deliveryView } from '../delivery.ts'
import type { Delivery, DeliveryDetail, WebhookStatus } from '../fields.ts'
import { webhookStatus } from '../webhook.ts'
import { getAttempt, listAttempts, listRecent } from './log.ts'
import { findWebhook, getWebhook, type WebhookRef } from './webhooks.ts'

/** Throws NOT_FOUND. */
export async function showWebhook(
  table: Table,
  ref: WebhookRef,
  nowMs: number,
): Promise<Reply<WebhookStatus>> {
  const [{ webhook, counts }, recent] = await Promise.all([
    getWebhook(table, ref),
    listRecent(table, ref.id, nowMs),
  ])
  return reply(webhookStatus(webhook, counts, recent, Math.floor(nowMs / 1000)))
}

/** Rejects with NOT_FOUND for a subscription of another owner: the log is stored by subscription alone. */
export async function requireOwned(table: Table, ref: WebhookRef): Promise<void> {
  if (!(await findWebhook(table, ref))) throw notFound('Webhook')
}

export type ShowContext = {
  nowMs: number
  cursorAt: (filters: Readonly<Record<string, unknown>>) => CursorPlace
}

export async function showDeliveries(
  table: Table,
  ref: WebhookRef,
  { limit, after, ...filters }: DeliveriesQuery,
  { nowMs, cursorAt }: ShowContext,
): Promise<Reply<Delivery[]>> {
  const { status, event, since, until } = filters
  const place = cursorAt(filters)
  const position =
    after === undefined ? undefined : openCursor(after, { ...place, parameter: 'after', schema: z.string() })
  const isWanted = (attempt: { status: string; event: string }) =>
    (status === undefined || attempt.status === status) && (event === undefined || attempt.event === event)
  const query = {
    webhookId: ref.id,
    nowMs,
    limit,
    from: since === undefined ? undefined : eventIdAt(since * 1000),
    // The whole second.
    to: until === undefined ? undefined : eventIdAt((until + 1) * 1000),
    after: position,
    isWanted: status === undefined && event === undefined ? undefined : isWanted,
  }
  const [page] = await Promise.all([listAttempts(table, query), requireOwned(table, ref)])
  const next = page.next === null ? null : sealCursor(page.next, place)
  return withCursor(page.attempts.map(deliveryView), { next })
}

export async function showDelivery(
  table: Table,
  ref: WebhookRef,
  id: string,
  nowMs: number,
): Promise<Reply<DeliveryDetail>> {
  await requireOwned(table, ref)
  const { attempt, body } = await getAttempt(table, { webhookId: ref.id, id, nowMs })
  return reply(deliveryDetail(attempt, body))
}
