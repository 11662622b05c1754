// Changes and deletes subscribers: record, lock of the address, lists, event and mail in one transaction.
import { changeUser } from '../accounts/commands/users.ts'
import type { User } from '../accounts/user.ts'
import type { Message } from '../events/message.ts'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import { foldedEmail } from '../http/email.ts'
import { invalid, notFound } from '../http/errors.ts'
import { planListChanges } from '../lists/counted-list.ts'
import { orderMail } from '../mail/mail.ts'
import { type Action, CONFLICT, changeOf, isAsRead, isNew } from '../table/action.ts'
import { newsletterEmailKey, newsletterKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'
import type { OwnSubscription } from './contract.ts'
import { subscriberIdOf } from './mails.ts'
import { findByEmail, findSubscriber } from './store.ts'
import {
  confirmSubscription,
  eventsOf,
  listEntriesOf,
  ownSubscription,
  requestSubscription,
  type Subscriber,
  unknownSubscriber,
  unsubscribe,
  unverifiedSubscription,
} from './subscriber.ts'

/** Applies the rule to the subscriber with this address, or to a new one: to change nothing it returns it. */
export async function changeByEmail(
  work: UnitOfWork,
  email: string,
  rule: (subscriber: Subscriber, nowSeconds: number) => Subscriber,
  onUnchanged: (subscriber: Subscriber) => Promise<void> = async () => {},
): Promise<Subscriber> {
  let newId: number | undefined
  return await retryOnConflict(async () => {
    const existing = await findByEmail(work.table, email)
    const before = existing ?? unknownSubscriber(email, work.nowSeconds)
    const after = rule(before, work.nowSeconds)
    if (after === before) {
      await onUnchanged(before)
      return before
    }
    if (existing) return await commit(work, existing, after)
    newId ??= await nextId(work.table, 'subscriber')
    return await commit(work, undefined, { ...after, id: newId })
  })
}

/**
 * Anyone may request a subscription for any address. For one that is subscribed already this takes the same
 * steps as for a new one, so that the timing does not reveal it.
 */
export async function requestByEmail(work: UnitOfWork, email: string): Promise<void> {
  await changeByEmail(work, email, requestSubscription, async ({ status, created_at }) => {
    const id = await nextId(work.table, 'subscriber')
    await planListChanges(
      work.table,
      [],
      listEntriesOf({ ...unknownSubscriber(email, created_at), id, status }),
    )
    await work.commit({ actions: [], messages: [confirmMail(id, work)] })
  })
}

/** The worker sends nothing if the subscriber does not exist or is not pending. */
function confirmMail(subscriber_id: number, { nowMs }: UnitOfWork): Message {
  return orderMail({ kind: 'confirm-newsletter', subscriber_id }, nowMs)
}

/** Fires no event. Throws NOT_FOUND. */
export function removeSubscriber(work: UnitOfWork, id: number): Promise<void> {
  return retryOnConflict(async () => {
    const subscriber = await findSubscriber(work.table, id)
    if (!subscriber) throw notFound('Subscriber')
    const actions: Action[] = [
      { onConditionFailed: CONFLICT, Delete: { Key: newsletterKey(id), ...isAsRead(subscriber) } },
      { Delete: { Key: newsletterEmailKey(foldedEmail(subscriber.email)) } },
    ]
    await work.commit({ actions, lists: { before: listEntriesOf(subscriber) } })
  })
}

async function commit(work: UnitOfWork, before: Subscriber | undefined, changed: Subscriber) {
  const after = { ...changed, revision: changed.revision + 1 }
  const isMailDue = after.mailed_at !== (before?.mailed_at ?? null)
  await work.commit({
    actions: subscriberActions(before, after),
    lists: { before: before ? listEntriesOf(before) : [], after: listEntriesOf(after) },
    events: eventsOf(before, after, await work.siteUrl()),
    messages: isMailDue ? [confirmMail(after.id, work)] : [],
  })
  return after
}

/** If two concurrent requests have the same new address, one fails to get the lock and reads again. */
export function subscriberActions(before: Subscriber | undefined, after: Subscriber): Action[] {
  const Key = newsletterKey(after.id)
  if (before) return [{ onConditionFailed: CONFLICT, Update: { Key, ...changeOf(before, after) } }]
  return [{ Put: { Item: { ...Key, ...after }, ...isNew } }, lockEmail(after)]
}

export function lockEmail({ id, email }: Subscriber): Action {
  return {
    onConditionFailed: CONFLICT,
    Put: { Item: { ...newsletterEmailKey(foldedEmail(email)), id }, ...isNew },
  }
}

export async function subscribeUser(work: UnitOfWork, userId: number): Promise<OwnSubscription> {
  const user = await recordRequest(work, userId, true)
  if (user.email_verified) return ownSubscription(await changeByEmail(work, user.email, confirmSubscription))
  await requestByEmail(work, user.email)
  return unverifiedSubscription(user)
}

export async function unsubscribeUser(work: UnitOfWork, userId: number): Promise<void> {
  const user = await recordRequest(work, userId, false)
  if (user.email_verified) await changeByEmail(work, user.email, unsubscribe)
}

/** Stores the request of an account whose address is not verified. */
function recordRequest({ table }: UnitOfWork, userId: number, wants_newsletter: boolean): Promise<User> {
  return changeUser(table, userId, user =>
    user.email_verified || (user.wants_newsletter ?? false) === wants_newsletter
      ? user
      : { ...user, wants_newsletter },
  )
}

/**
 * Applies the rule to the subscriber of a link. `key` is the value of the secret that signs links. Throws
 * VALIDATION_ERROR for a wrong token or a deleted subscriber, and where the rule returns undefined.
 */
export async function changeByToken(
  work: UnitOfWork,
  key: string,
  token: string,
  rule: (subscriber: Subscriber, nowSeconds: number) => Subscriber | undefined,
): Promise<void> {
  const id = subscriberIdOf(key, token, work.nowSeconds)
  await retryOnConflict(async () => {
    const before = id === undefined ? undefined : await findSubscriber(work.table, id)
    const after = before && rule(before, work.nowSeconds)
    if (!after) throw invalid({ token: ['Is wrong or expired: ask for a new mail.'] })
    if (after !== before) await commit(work, before, after)
  })
}
