// Writing subscribers: record, lock of the address, lists, event and mail in one transaction; again when overtaken.
import type { MailMessage, Message } from '../events/message.ts'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import { foldedEmail } from '../http/email.ts'
import { notFound } from '../http/errors.ts'
import { planListChanges } from '../lists/counted-list.ts'
import { orderMail } from '../mail/mail.ts'
import { type Action, CONFLICT, type Simple } from '../table/action.ts'
import { isAsRead, isNew } from '../table/conditions.ts'
import { newsletterEmailKey, newsletterKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'
import { eventsOf } from './events.ts'
import { listEntriesOf } from './lists.ts'
import { findByEmail, findSubscriber } from './store.ts'
import { requestSubscription, type Subscriber, unknownSubscriber } from './subscriber.ts'

/** Gives back the very same subscriber when there is nothing to change. */
type Rule = (subscriber: Subscriber, nowSeconds: number) => Subscriber

/** Makes of an address what the rule says, on top of whatever others made of it. */
export async function changeByEmail(
  work: UnitOfWork,
  email: string,
  rule: Rule,
  onUnchanged: (subscriber: Subscriber) => Promise<void> = async () => {},
): Promise<Subscriber> {
  let newId: number | undefined
  return await retryOnConflict(async () => {
    const known = await findByEmail(work.table, email)
    const before = known ?? unknownSubscriber(email, work.nowSeconds)
    const after = rule(before, work.nowSeconds)
    if (after === before) {
      await onUnchanged(before)
      return before
    }
    if (known) return await commit(work, known, after)
    newId ??= await nextId(work.table, 'subscriber')
    return await commit(work, undefined, { ...after, id: newId })
  })
}

/**
 * Somebody asks for an address, who may be anyone. Where it is subscribed already this takes the steps of a new one, so
 * that the time of the answer does not tell: only the size of the transaction differs.
 */
export async function requestByEmail(work: UnitOfWork, email: string): Promise<void> {
  await changeByEmail(work, email, requestSubscription, async ({ status, created_at }) => {
    const id = await nextId(work.table, 'subscriber')
    await planListChanges(
      work.table,
      [],
      listEntriesOf({ ...unknownSubscriber(email, created_at), id, status }),
    )
    await work.commit({ actions: [], messages: [confirmMail({ subscriber_id: id, ...NO_MAIL }, work)] })
  })
}

type ConfirmMailFields = Omit<Extract<MailMessage, { kind: 'confirm-newsletter' }>, 'kind' | 'id'>
const NO_MAIL = { mailed_at: null, mailed_before: null }

/** Sends nothing where nobody has the id or nobody is to confirm. */
function confirmMail(fields: ConfirmMailFields, { nowMs }: UnitOfWork): Message {
  return orderMail({ kind: 'confirm-newsletter', ...fields }, nowMs)
}

/** Undefined where there is no such subscriber. */
export function changeById(work: UnitOfWork, id: number, rule: Rule): Promise<Subscriber | undefined> {
  return retryOnConflict(async () => {
    const before = await findSubscriber(work.table, id)
    const after = before && rule(before, work.nowSeconds)
    return after && after !== before ? await commit(work, before, after) : before
  })
}

/** Tells nobody. Throws NOT_FOUND. */
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
  const { id: subscriber_id, mailed_at } = after
  const mailed_before = before?.mailed_at ?? null
  const mail = confirmMail({ subscriber_id, mailed_at, mailed_before }, work)
  await work.commit({
    actions: subscriberActions(before, after),
    lists: { before: before ? listEntriesOf(before) : [], after: listEntriesOf(after) },
    events: eventsOf(before, after, await work.siteUrl()),
    messages: mailed_at === mailed_before ? [] : [mail],
  })
  return after
}

/** Of two that ask for a new address one is refused the lock, and reads again what the other made. */
function subscriberActions(before: Subscriber | undefined, after: Subscriber): Action[] {
  const Item = { ...newsletterKey(after.id), ...after }
  if (before) return [{ onConditionFailed: CONFLICT, Put: { Item, ...isAsRead(before) } }]
  return [{ Put: { Item, ...isNew } }, lockEmail(after)]
}

export function lockEmail({ id, email }: Subscriber): Action {
  return {
    onConditionFailed: CONFLICT,
    Put: { Item: { ...newsletterEmailKey(foldedEmail(email)), id }, ...isNew },
  }
}

/** As if the mail of `at` had not been ordered; refused where another was ordered since. */
export function undoMailOrder(id: number, at: number | null, before: number | null): Simple {
  return {
    Update: {
      Key: newsletterKey(id),
      UpdateExpression: 'SET mailed_at = :before ADD revision :one',
      ConditionExpression: 'mailed_at = :at',
      ExpressionAttributeValues: { ':at': at, ':before': before, ':one': 1 },
    },
  }
}
