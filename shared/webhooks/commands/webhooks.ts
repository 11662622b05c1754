// Writing subscriptions: the record, its counters and its row for fan-out in one transaction.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { invalid, notFound } from '../../http/errors.ts'
import type { Reply } from '../../http/reply.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import { exists, failedAs, isNew } from '../../table/conditions.ts'
import {
  COUNTER_SHARDS,
  subscriberKey,
  webhookCounterKey,
  webhookKey,
  webhooksOwnedKey,
} from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { type Counted, getWebhook, type Name } from '../store/webhooks.ts'
import { MOST_WEBHOOKS, Subscriber, type WebhookRecord } from '../webhook.ts'

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
