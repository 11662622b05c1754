// How subscriptions are kept: the record, its counters beside it, and a small row for fan-out.
import * as z from 'zod/mini'
import { invalid, notFound } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import type { Work } from '../lambda/work.ts'
import { type Action, Refused, STALE } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { deciding } from '../table/deciding.ts'
import {
  COUNTER_SHARDS,
  sortable,
  subscriberKey,
  subscribersPartition,
  webhookCounterKey,
  webhookKey,
  webhookPartition,
  webhooksOwnedKey,
} from '../table/design.ts'
import { type Counts, Subscriber, WebhookRecord } from './webhook.ts'

export const MOST_WEBHOOKS = 100

const CounterRow = z.object({ webhook_id: z.int(), total: z.int(), failed: z.int() })
const Row = z.union([WebhookRecord, CounterRow])
type Row = z.infer<typeof Row>

export type Counted = { webhook: WebhookRecord; counts: Counts }
type Name = { ownerId: number; id: number }

/** All of an owner's, by id. */
export const listWebhooks = async (table: Table, ownerId: number): Promise<Counted[]> =>
  counted(await table.query({ pk: webhookPartition(ownerId), before: webhooksOwnedKey(ownerId).sk }, Row))

/** Another's is not found, like one that never was. */
export const getWebhook = async (table: Table, { ownerId, id }: Name): Promise<Counted> => {
  const rows = await table.query({ pk: webhookPartition(ownerId), beginsWith: sortable(id) }, Row)
  const [found] = counted(rows)
  if (!found) throw notFound('Webhook')
  return found
}

export const findWebhook = (table: Table, { ownerId, id }: Name): Promise<WebhookRecord | undefined> =>
  table.find(webhookKey(ownerId, id), WebhookRecord)

/** Everybody who may listen, active or not. */
export const listSubscribers = (table: Table): Promise<Subscriber[]> =>
  table.query({ pk: subscribersPartition }, Subscriber)

/** Throws VALIDATION_ERROR when the owner has as many as one may have. */
export const addWebhook = async (work: Work, webhook: WebhookRecord, answer: Reply): Promise<void> => {
  const { id, owner_id: ownerId } = webhook
  const actions: Action[] = [
    { refused: 'too many', Update: oneMore(ownerId) },
    { Put: { Item: { ...webhookKey(ownerId, id), ...webhook }, ...fresh } },
    ...freshCounters({ ownerId, id }),
    putSubscriber(webhook),
  ]
  await work.commit({ actions }, answer).catch(error => {
    const isFull = error instanceof Refused && error.reasons.includes('too many')
    throw isFull ? invalid({ webhooks: [`Must be at most ${MOST_WEBHOOKS}: delete one first.`] }) : error
  })
}

/** Makes of the record what `rule` says, on top of whatever others made of it. Throws NOT_FOUND. */
export const changeWebhook = async (
  work: Work,
  name: Name,
  rule: (webhook: WebhookRecord) => WebhookRecord,
): Promise<Counted> => {
  return await deciding(async () => {
    const { webhook: read, counts } = await getWebhook(work.table, name)
    const webhook = { ...rule(read), revision: read.revision + 1 }
    await work.commit({ actions: [replace(webhook), putSubscriber(webhook)] })
    return { webhook, counts }
  })
}

/** With its counters: deliveries under way end without being counted. Throws NOT_FOUND. */
export const removeWebhook = async (work: Work, name: Name): Promise<void> => {
  const { ownerId, id } = name
  const actions: Action[] = [
    { refused: 'missing', Delete: { Key: webhookKey(ownerId, id), ...existing } },
    { Update: oneLess(ownerId) },
    ...counterKeys(name).map(Key => ({ Delete: { Key } })),
    { Delete: { Key: subscriberKey(id) } },
  ]
  await work.commit({ actions }).catch(error => {
    const isMissing = error instanceof Refused && error.reasons.includes('missing')
    throw isMissing ? notFound('Webhook') : error
  })
}

const fresh = { ConditionExpression: 'attribute_not_exists(pk)' }
const existing = { ConditionExpression: 'attribute_exists(pk)' }

/** Only over the revision that was read: a deleted one does not come back. */
const replace = (webhook: WebhookRecord): Action => ({
  refused: STALE,
  Put: {
    Item: { ...webhookKey(webhook.owner_id, webhook.id), ...webhook },
    ConditionExpression: 'revision = :read',
    ExpressionAttributeValues: { ':read': webhook.revision - 1 },
  },
})

/** In one transaction with the record, whose condition holds for it too. */
export const putSubscriber = (webhook: WebhookRecord): Action => ({
  Put: { Item: { ...subscriberKey(webhook.id), ...Subscriber.parse(webhook) } },
})

const oneMore = (ownerId: number) => ({
  Key: webhooksOwnedKey(ownerId),
  UpdateExpression: 'ADD owned :one',
  ConditionExpression: 'attribute_not_exists(pk) OR owned < :most',
  ExpressionAttributeValues: { ':one': 1, ':most': MOST_WEBHOOKS },
})

const oneLess = (ownerId: number) => ({
  Key: webhooksOwnedKey(ownerId),
  UpdateExpression: 'ADD owned :less',
  ...existing,
  ExpressionAttributeValues: { ':less': -1 },
})

const counterKeys = ({ ownerId, id }: Name) =>
  Array.from({ length: COUNTER_SHARDS }, (_, shard) => webhookCounterKey(ownerId, id, shard))

export const freshCounters = (name: Name): Action[] =>
  counterKeys(name).map(Key => ({
    Put: { Item: { ...Key, webhook_id: name.id, total: 0, failed: 0 }, ...fresh },
  }))

const counted = (rows: Row[]): Counted[] =>
  rows.flatMap(row => {
    if (!('url' in row)) return []
    const counters = rows.filter(each => 'webhook_id' in each).filter(each => each.webhook_id === row.id)
    const sum = (of: (counter: Counts) => number) => counters.reduce((all, one) => all + of(one), 0)
    return [{ webhook: row, counts: { total: sum(one => one.total), failed: sum(one => one.failed) } }]
  })
