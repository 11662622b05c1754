// Reads subscriptions with their counters, and the entries for fan-out.
import * as z from 'zod/mini'
import { notFound } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import {
  FAN_OUT_PARTITION,
  sortable,
  webhookKey,
  webhookPartition,
  webhooksOwnedKey,
} from '../../table/design.ts'
import { Int } from '../fields.ts'
import { type DeliveryCounts, FanOutEntry, WebhookRecord } from '../webhook.ts'

const CounterRow = z.object({
  webhook_id: Int,
  total: Int,
  failed: Int,
  last_success_ms: z.optional(Int),
  last_failure_ms: z.optional(Int),
})
const Row = z.union([WebhookRecord, CounterRow])
type Row = z.infer<typeof Row>

export type WebhookWithCounts = { webhook: WebhookRecord; counts: DeliveryCounts }
export type WebhookRef = { ownerId: number; id: number }

/** All subscriptions of an owner, by id. */
export async function listWebhooks(table: Table, ownerId: number): Promise<WebhookWithCounts[]> {
  return withCounts(
    await table.query({ pk: webhookPartition(ownerId), before: webhooksOwnedKey(ownerId).sk }, Row),
  )
}

/** Throws NOT_FOUND, also for a subscription of another owner. */
export async function getWebhook(table: Table, { ownerId, id }: WebhookRef): Promise<WebhookWithCounts> {
  const rows = await table.query({ pk: webhookPartition(ownerId), beginsWith: sortable(id) }, Row)
  const [webhook] = withCounts(rows)
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

function withCounts(rows: Row[]): WebhookWithCounts[] {
  return rows.flatMap(row => {
    if (!('url' in row)) return []
    const counters = rows
      .filter(candidate => 'webhook_id' in candidate)
      .filter(counter => counter.webhook_id === row.id)
    return [{ webhook: row, counts: countsOf(counters) }]
  })
}

function countsOf(counters: z.infer<typeof CounterRow>[]): DeliveryCounts {
  const sum = (name: 'total' | 'failed') => counters.reduce((all, counter) => all + counter[name], 0)
  const latest = (name: 'last_success_ms' | 'last_failure_ms') => {
    const times = counters.flatMap(counter => counter[name] ?? [])
    return times.toSorted((a, b) => b - a)[0]
  }
  return {
    total: sum('total'),
    failed: sum('failed'),
    lastSuccessMs: latest('last_success_ms'),
    lastFailureMs: latest('last_failure_ms'),
  }
}
