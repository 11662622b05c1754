// How subscriptions are kept: the record, its counters beside it, and a small row for fan-out.

import * as z from 'zod/mini'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { invalid, notFound } from '../../http/errors.ts'
import type { Reply } from '../../http/reply.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { exists, failedAs, isNew } from '../../table/conditions.ts'
import {
  COUNTER_SHARDS,
  SUBSCRIBERS_PARTITION,
  sortable,
  subscriberKey,
  webhookCounterKey,
  webhookKey,
  webhookPartition,
  webhooksOwnedKey,
} from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { type Counts, Subscriber, WebhookRecord } from '../webhook.ts'

export const MOST_WEBHOOKS = 100

const CounterRow = z.object({ webhook_id: z.int(), total: z.int(), failed: z.int() })
const Row = z.union([WebhookRecord, CounterRow])
type Row = z.infer<typeof Row>

export type Counted = { webhook: WebhookRecord; counts: Counts }
type Name = { ownerId: number; id: number }

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

/** Throws VALIDATION_ERROR when the owner has as many as one may have. */
export async function addWebhook(work: UnitOfWork, webhook: WebhookRecord, answer: Reply): Promise<void> {
  const { id, owner_id: ownerId } = webhook
  const actions: Action[] = [
    { onConditionFailed: 'too many', Update: oneMore(ownerId) },
    { Put: { Item: { ...webhookKey(ownerId, id), ...webhook }, ...isNew } },
    ...freshCounters({ ownerId, id }),
    putSubscriber(webhook),
  ]
  await work.commit({ actions }, answer).catch(error => {
    const isFull = failedAs(error, 'too many')
    throw isFull ? invalid({ webhooks: [`Must be at most ${MOST_WEBHOOKS}: delete one first.`] }) : error
  })
}

/** Makes of the record what `rule` says, on top of whatever others made of it. Throws NOT_FOUND. */
export async function changeWebhook(
  work: UnitOfWork,
  name: Name,
  rule: (webhook: WebhookRecord) => WebhookRecord,
): Promise<Counted> {
  return await retryOnConflict(async () => {
    const { webhook: read, counts } = await getWebhook(work.table, name)
    const webhook = { ...rule(read), revision: read.revision + 1 }
    await work.commit({ actions: [replace(webhook), putSubscriber(webhook)] })
    return { webhook, counts }
  })
}

/** With its counters: deliveries under way end without being counted. Throws NOT_FOUND. */
export async function removeWebhook(work: UnitOfWork, name: Name): Promise<void> {
  const { ownerId, id } = name
  const actions: Action[] = [
    { onConditionFailed: 'missing', Delete: { Key: webhookKey(ownerId, id), ...exists } },
    { Update: oneLess(ownerId) },
    ...counterKeys(name).map(Key => ({ Delete: { Key } })),
    { Delete: { Key: subscriberKey(id) } },
  ]
  await work.commit({ actions }).catch(error => {
    const isMissing = failedAs(error, 'missing')
    throw isMissing ? notFound('Webhook') : error
  })
}

/** Only over the revision that was read: a deleted one does not come back. */
function replace(webhook: WebhookRecord): Action {
  return {
    onConditionFailed: CONFLICT,
    Put: {
      Item: { ...webhookKey(webhook.owner_id, webhook.id), ...webhook },
      ConditionExpression: 'revision = :read',
      ExpressionAttributeValues: { ':read': webhook.revision - 1 },
    },
  }
}

/** In one transaction with the record, whose condition holds for it too. */
export function putSubscriber(webhook: WebhookRecord): Action {
  return {
    Put: { Item: { ...subscriberKey(webhook.id), ...Subscriber.parse(webhook) } },
  }
}

function oneMore(ownerId: number) {
  return {
    Key: webhooksOwnedKey(ownerId),
    UpdateExpression: 'ADD owned :one',
    ConditionExpression: 'attribute_not_exists(pk) OR owned < :most',
    ExpressionAttributeValues: { ':one': 1, ':most': MOST_WEBHOOKS },
  }
}

function oneLess(ownerId: number) {
  return {
    Key: webhooksOwnedKey(ownerId),
    UpdateExpression: 'ADD owned :less',
    ...exists,
    ExpressionAttributeValues: { ':less': -1 },
  }
}

function counterKeys({ ownerId, id }: Name) {
  return Array.from({ length: COUNTER_SHARDS }, (_, shard) => webhookCounterKey(ownerId, id, shard))
}

export function freshCounters(name: Name): Action[] {
  return counterKeys(name).map(Key => ({
    Put: { Item: { ...Key, webhook_id: name.id, total: 0, failed: 0 }, ...isNew },
  }))
}

function counted(rows: Row[]): Counted[] {
  return rows.flatMap(row => {
    if (!('url' in row)) return []
    const counters = rows.filter(each => 'webhook_id' in each).filter(each => each.webhook_id === row.id)
    const sum = (of: (counter: Counts) => number) => counters.reduce((all, one) => all + of(one), 0)
    return [{ webhook: row, counts: { total: sum(one => one.total), failed: sum(one => one.failed) } }]
  })
}
