// Reads subscribers by id, by address and by status.
import * as z from 'zod/mini'
import { getUser } from '../accounts/store/users.ts'
import { foldedEmail } from '../http/email.ts'
import { listPage } from '../lists/counted-list.ts'
import { findRefusals } from '../mail/refusals.ts'
import type { Table } from '../table/client.ts'
import { newsletterEmailKey, newsletterKey } from '../table/design.ts'
import type { OwnSubscription, Status, SubscriberView } from './contract.ts'
import {
  ownSubscription,
  Subscriber,
  SubscriberEntry,
  subscriberList,
  subscriberView,
  unknownSubscriber,
  unverifiedSubscription,
} from './subscriber.ts'

const EmailLock = z.object({ id: z.int() })

export function findSubscriber(table: Table, id: number): Promise<Subscriber | undefined> {
  return table.find(newsletterKey(id), Subscriber)
}

/** No subscriber has id 0; reading it keeps the timing equal for unknown addresses. */
const NO_SUBSCRIBER = 0

/** Ignores case, and how the host is spelled. */
export async function findByEmail(table: Table, email: string): Promise<Subscriber | undefined> {
  const lock = await table.find(newsletterEmailKey(foldedEmail(email)), EmailLock)
  return await findSubscriber(table, lock?.id ?? NO_SUBSCRIBER)
}

/** What a user sees of the own subscription: nothing about the address until it is verified. */
export async function getOwnSubscription(
  table: Table,
  userId: number,
  nowSeconds: number,
): Promise<OwnSubscription> {
  const user = await getUser(table, userId)
  if (!user.email_verified) return unverifiedSubscription(user)
  const subscriber = await findByEmail(table, user.email)
  return ownSubscription(subscriber ?? unknownSubscriber(user.email, nowSeconds))
}

type ListSubscribersQuery = { status?: Status; page: number; per_page: number }

/** A page of all subscribers, or of those with a status, newest first, and which of them get no mail. */
export async function listSubscribers(
  table: Table,
  { status, page, per_page: perPage }: ListSubscribersQuery,
): Promise<{ items: SubscriberView[]; total: number }> {
  const list = { list: subscriberList(status), page, perPage }
  const { items, total } = await listPage(table, list, SubscriberEntry)
  const refusals = await findRefusals(
    table,
    items.map(({ email }) => email),
  )
  const views = items.map(subscriber =>
    subscriberView(subscriber, refusals.get(foldedEmail(subscriber.email))),
  )
  return { items: views, total }
}
