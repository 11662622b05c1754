// Writing subscribers: record, lock of the address, lists, event and mail in one transaction; again when overtaken.
import { sameCase } from '../accounts/user.ts'
import type { Happening } from '../events/catalogue.ts'
import type { MailMessage, Message } from '../events/message.ts'
import { notFound } from '../http/errors.ts'
import type { Work } from '../lambda/work.ts'
import { orderMail } from '../mail/mail.ts'
import { type Action, STALE } from '../table/action.ts'
import { planMoves, settle } from '../table/counted-list.ts'
import { deciding } from '../table/deciding.ts'
import { newsletterEmailKey, newsletterKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import { placesOf } from './places.ts'
import { findByEmail, findSubscriber } from './store.ts'
import { asked, nobody, type Subscriber } from './subscriber.ts'

/** Gives back the very same subscriber when there is nothing to change. */
type Rule = (subscriber: Subscriber, now: number) => Subscriber

/** Makes of an address what the rule says, on top of whatever others made of it. */
export const changeByEmail = async (
  work: Work,
  email: string,
  rule: Rule,
  whenSame: (subscriber: Subscriber) => Promise<void> = async () => {},
): Promise<Subscriber> => {
  let newId: number | undefined
  return await deciding(async () => {
    const known = await findByEmail(work.table, email)
    const before = known ?? nobody(email, work.nowSeconds)
    const after = rule(before, work.nowSeconds)
    if (after === before) {
      await whenSame(before)
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
export const askByEmail = async (work: Work, email: string): Promise<void> => {
  await changeByEmail(work, email, asked, async ({ status, created_at }) => {
    const id = await nextId(work.table, 'subscriber')
    await planMoves(work.table, [], placesOf({ ...nobody(email, created_at), id, status }))
    await work.commit({ actions: [], messages: [confirmMail({ subscriber_id: id, ...NO_MAIL }, work)] })
  })
}

type Confirming = Omit<Extract<MailMessage, { kind: 'confirm-newsletter' }>, 'kind' | 'id'>
const NO_MAIL = { mailed_at: null, mailed_before: null }

/** Sends nothing where nobody has the id or nobody is to confirm. */
const confirmMail = (confirming: Confirming, { nowMs }: Work): Message =>
  orderMail({ kind: 'confirm-newsletter', ...confirming }, nowMs)

/** Undefined where there is no such subscriber. */
export const changeById = (work: Work, id: number, rule: Rule): Promise<Subscriber | undefined> =>
  deciding(async () => {
    const before = await findSubscriber(work.table, id)
    const after = before && rule(before, work.nowSeconds)
    return after && after !== before ? await commit(work, before, after) : before
  })

/** Tells nobody. Throws NOT_FOUND. */
export const removeSubscriber = (work: Work, id: number): Promise<void> =>
  deciding(async () => {
    const subscriber = await findSubscriber(work.table, id)
    if (!subscriber) throw notFound('Subscriber')
    const plan = await planMoves(work.table, placesOf(subscriber), [])
    const actions: Action[] = [
      { refused: STALE, Delete: { Key: newsletterKey(id), ...asRead(subscriber) } },
      { Delete: { Key: newsletterEmailKey(sameCase(subscriber.email)) } },
      ...plan.actions,
    ]
    await work.commit({ actions })
    await settle(work.table, plan.touched)
  })

const commit = async (work: Work, before: Subscriber | undefined, changed: Subscriber) => {
  const after = { ...changed, revision: changed.revision + 1 }
  const plan = await planMoves(work.table, before ? placesOf(before) : [], placesOf(after))
  const { id: subscriber_id, mailed_at } = after
  const mailed_before = before?.mailed_at ?? null
  const mail = confirmMail({ subscriber_id, mailed_at, mailed_before }, work)
  await work.commit({
    actions: [...records(before, after), ...plan.actions],
    happenings: tellingsOf(before, after, await work.siteUrl()),
    messages: mailed_at === mailed_before ? [] : [mail],
  })
  await settle(work.table, plan.touched)
  return after
}

const fresh = { ConditionExpression: 'attribute_not_exists(pk)' }
const asRead = ({ revision }: Subscriber) => ({
  ConditionExpression: 'revision = :r',
  ExpressionAttributeValues: { ':r': revision },
})

/** Of two that ask for a new address one is refused the lock, and reads again what the other made. */
const records = (before: Subscriber | undefined, after: Subscriber): Action[] => {
  const Item = { ...newsletterKey(after.id), ...after }
  if (before) return [{ refused: STALE, Put: { Item, ...asRead(before) } }]
  return [{ Put: { Item, ...fresh } }, lockEmail(after)]
}

export const lockEmail = ({ id, email }: Subscriber): Action => ({
  refused: STALE,
  Put: { Item: { ...newsletterEmailKey(sameCase(email)), id }, ...fresh },
})

/** Asking is told to nobody, and neither is taking back what was never confirmed. */
const tellingsOf = (before: Subscriber | undefined, after: Subscriber, url: string): Happening[] => {
  const { id, email, status } = after
  const data = { id, url, email }
  const was = before?.status
  if (status === 'subscribed' && was !== 'subscribed') return [{ event: 'newsletter.subscribed', data }]
  if (status === 'unsubscribed' && was === 'subscribed') return [{ event: 'newsletter.unsubscribed', data }]
  return []
}
