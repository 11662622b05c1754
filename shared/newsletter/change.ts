// Writing subscribers: record, lock of the address, lists, event and mail in one transaction; again when overtaken.
import { sameCase } from '../accounts/user.ts'
import type { Happening } from '../events/catalogue.ts'
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
import { nobody, type Subscriber } from './subscriber.ts'

/** Gives back the very same subscriber when there is nothing to change. */
type Rule = (subscriber: Subscriber, now: number) => Subscriber

/** Makes of an address what the rule says, on top of whatever others made of it. */
export const changeByEmail = async (work: Work, email: string, rule: Rule): Promise<Subscriber> => {
  let newId: number | undefined
  return await deciding(async () => {
    const known = await findByEmail(work.table, email)
    const before = known ?? nobody(email, work.nowSeconds)
    const after = rule(before, work.nowSeconds)
    if (after === before) return before
    if (known) return await commit(work, known, after)
    newId ??= await nextId(work.table, 'subscriber')
    return await commit(work, undefined, { ...after, id: newId })
  })
}

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
  const isMailed = after.mailed_at !== (before?.mailed_at ?? null)
  const mail = orderMail({ kind: 'confirm-newsletter', subscriber_id: after.id }, work.nowMs)
  await work.commit({
    actions: [...records(before, after), ...plan.actions],
    happenings: tellingsOf(before, after, await work.siteUrl()),
    messages: isMailed ? [mail] : [],
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

/** Pending is a state of the service's own, which is told to nobody. */
const tellingsOf = (before: Subscriber | undefined, after: Subscriber, url: string): Happening[] => {
  const { id, email, status } = after
  if (status === 'pending' || status === before?.status) return []
  const data = { id, url, email }
  return [
    status === 'subscribed'
      ? { event: 'newsletter.subscribed', data }
      : { event: 'newsletter.unsubscribed', data },
  ]
}
