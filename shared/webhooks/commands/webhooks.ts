// Creates, changes and deletes subscriptions, and rotates their secrets: record and fan-out entry in one
// transaction.
import { randomBytes } from 'node:crypto'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { countWanted } from '../../events/wanted.ts'
import { invalid } from '../../http/errors.ts'
import { type Reply, reply } from '../../http/reply.ts'
import type { Environment } from '../../runtime/environment.ts'
import {
  type Action,
  CONFLICT,
  changeOf,
  failedAs,
  hasRevision,
  ignoreConditionFailed,
  isNew,
  setMembers,
} from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { fanOutKey, webhookKey, webhooksOwnedKey } from '../../table/design.ts'
import { nextId } from '../../table/next-id.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { WebhookDetail } from '../fields.ts'
import type { WebhookInput } from '../inputs.ts'
import {
  newSecret,
  rotatedWebhook,
  type SealingEnvironment,
  sealHeaders,
  sealSecret,
  withoutEndedSecret,
} from '../secret.ts'
import { getWebhook, type WebhookRef } from '../store/webhooks.ts'
import {
  FanOutEntry,
  MAX_WEBHOOKS,
  newWebhook,
  type WebhookRecord,
  wantedBy,
  webhookDetail,
  webhookView,
} from '../webhook.ts'

/**
 * Only this reply shows the secret, which is stored sealed. Throws VALIDATION_ERROR if the owner has too
 * many.
 */
export async function createWebhook(
  work: UnitOfWork,
  environment: Environment,
  ownerId: number,
  input: WebhookInput,
) {
  const id = await nextId(work.table, 'webhook')
  const secret = newSecret(randomBytes)
  const sealed_secret = sealSecret(environment, id, secret)
  const given = { id, owner_id: ownerId, sealed_secret, ...sealHeaders(environment, id, input.headers) }
  const webhook = newWebhook(given, input, work.nowMs)
  const answer = reply({ ...webhookView(webhook), secret })
  await addWebhook(work, webhook, answer)
  return answer
}

/** Throws VALIDATION_ERROR if the owner has the maximum of subscriptions. */
export async function addWebhook(work: UnitOfWork, webhook: WebhookRecord, answer?: Reply): Promise<void> {
  const { id, owner_id: ownerId } = webhook
  const actions: Action[] = [
    { onConditionFailed: 'too many', Update: countOwned(ownerId, 1) },
    { Put: { Item: { ...webhookKey(ownerId, id), ...webhook }, ...isNew } },
    putFanOutEntry(webhook),
    ...countWanted([], wantedBy(webhook)),
  ]
  await work.commit({ actions }, answer).catch(error => {
    const isFull = failedAs(error, 'too many')
    throw isFull ? invalid({ webhooks: [`Must be at most ${MAX_WEBHOOKS}: delete one first.`] }) : error
  })
}

/** Applies the rule to the current record. `answerOf` makes the answer that is kept. Throws NOT_FOUND. */
export async function changeWebhook(
  work: UnitOfWork,
  ref: WebhookRef,
  rule: (webhook: WebhookRecord) => WebhookRecord,
  answerOf?: (changed: WebhookRecord) => Reply,
): Promise<WebhookRecord> {
  return await retryOnConflict(async () => {
    const read = await getWebhook(work.table, ref)
    const current = withoutEndedSecret(read, work.nowSeconds)
    const webhook = { ...rule(current), revision: read.revision + 1 }
    const actions: Action[] = [
      // Conditional on the revision that was read, which also keeps a deleted record deleted.
      {
        onConditionFailed: CONFLICT,
        Update: { Key: webhookKey(ref.ownerId, ref.id), ...changeOf(read, webhook) },
      },
      { Update: { Key: fanOutKey(ref.id), ...setMembers(FanOutEntry.parse(webhook)) } },
      ...countWanted(wantedBy(read), wantedBy(webhook)),
    ]
    await work.commit({ actions }, answerOf?.(webhook))
    return webhook
  })
}

/** Running deliveries are no longer counted. Throws NOT_FOUND. */
export async function removeWebhook(work: UnitOfWork, ref: WebhookRef): Promise<void> {
  const { ownerId, id } = ref
  await retryOnConflict(async () => {
    const webhook = await getWebhook(work.table, ref)
    const { revision } = webhook
    const actions: Action[] = [
      { onConditionFailed: CONFLICT, Delete: { Key: webhookKey(ownerId, id), ...hasRevision(revision) } },
      { Update: countOwned(ownerId, -1) },
      { Delete: { Key: fanOutKey(id) } },
      ...countWanted(wantedBy(webhook), []),
    ]
    await work.commit({ actions })
  })
}

/**
 * Only this reply shows the new secret. Until the overlap ends, both secrets sign. Throws NOT_FOUND, or
 * CONFLICT for an overlap during that of another rotation.
 */
export async function rotateSecret(
  work: UnitOfWork,
  environment: SealingEnvironment,
  ref: WebhookRef,
  overlapHours: number,
): Promise<Reply<WebhookDetail & { secret: string }>> {
  const secret = newSecret(randomBytes)
  const sealedSecret = sealSecret(environment, ref.id, secret)
  const { nowSeconds } = work
  const answerOf = (webhook: WebhookRecord) => reply({ ...webhookDetail(webhook, nowSeconds), secret })
  const rule = (webhook: WebhookRecord) => rotatedWebhook(webhook, { sealedSecret, overlapHours, nowSeconds })
  return answerOf(await changeWebhook(work, ref, rule, answerOf))
}

/** Without a condition of its own: it is written with the record, which has one. */
export function putFanOutEntry(webhook: WebhookRecord): Action {
  return { Put: { Item: { ...fanOutKey(webhook.id), ...FanOutEntry.parse(webhook) } } }
}

/** Counts the subscriptions of an owner. */
function countOwned(ownerId: number, by: 1 | -1) {
  return {
    Key: webhooksOwnedKey(ownerId),
    UpdateExpression: 'ADD owned :by',
    ConditionExpression: 'attribute_not_exists(pk) OR owned <= :most',
    ExpressionAttributeValues: { ':by': by, ':most': MAX_WEBHOOKS - by },
  }
}

/** Removes the number of subscriptions of an owner who has none. */
export function removeOwned(table: Table, ownerId: number): Promise<void> {
  const Delete = {
    Key: webhooksOwnedKey(ownerId),
    ConditionExpression: 'owned = :none',
    ExpressionAttributeValues: { ':none': 0 },
  }
  return table.write({ Delete }).catch(ignoreConditionFailed)
}
