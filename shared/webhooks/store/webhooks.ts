// How subscriptions are kept: the record, its counters beside it, and a small row for fan-out.
import * as z from 'zod/mini'
import { notFound } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import {
  SUBSCRIBERS_PARTITION,
  sortable,
  webhookKey,
  webhookPartition,
  webhooksOwnedKey,
} from '../../table/design.ts'
import { type Counts, Subscriber, WebhookRecord } from '../webhook.ts'

const CounterRow = z.object({ webhook_id: z.int(), total: z.int(), failed: z.int() })
const Row = z.union([WebhookRecord, CounterRow])
type Row = z.infer<typeof Row>

export type Counted = { webhook: WebhookRecord; counts: Counts }
export type Name = { ownerId: number; id: number }

/** All of an owner's, by id. */
export async function listWebhooks(table: Table, ownerId: number): Promise<Counted[]> {
  return counted(
    await table.query({ pk: webhookPartition(ownerId), before: webhooksOwnedKey(ownerId).sk }, Row),
  )
}

/** Another's is not found, like one that never was. */
export async function getWebhook(table: Table, { ownerId, id }: Name): Promise<Counted> {
  const rows = await table.query({ pk: webhookPartition(ownerId), beginsWith: sortable(id) }, Row)
  const [found] = counted(rows)
  if (!found) throw notFound('Webhook')
  return found
}

export function findWebhook(table: Table, { ownerId, id }: Name): Promise<WebhookRecord | undefined> {
  return table.find(webhookKey(ownerId, id), WebhookRecord)
}

/** Everybody who may listen, active or not. */
export function listSubscribers(table: Table): Promise<Subscriber[]> {
  return table.query({ pk: SUBSCRIBERS_PARTITION }, Subscriber)
}

function counted(rows: Row[]): Counted[] {
  return rows.flatMap(row => {
    if (!('url' in row)) return []
    const counters = rows.filter(each => 'webhook_id' in each).filter(each => each.webhook_id === row.id)
    const sum = (of: (counter: Counts) => number) => counters.reduce((all, one) => all + of(one), 0)
    return [{ webhook: row, counts: { total: sum(one => one.total), failed: sum(one => one.failed) } }]
  })
}
