// How subscribers are read: by id, by address, by status.
import { z } from 'zod'
import { sameCase } from '../accounts/user.ts'
import type { Table } from '../table/client.ts'
import { listPage } from '../table/counted-list.ts'
import { newsletterEmailKey, newsletterKey } from '../table/design.ts'
import type { Status } from './contract.ts'
import { subscriberList } from './places.ts'
import { Subscriber, SubscriberEntry } from './subscriber.ts'

const EmailLock = z.object({ id: z.int() })

export const findSubscriber = (table: Table, id: number): Promise<Subscriber | undefined> =>
  table.find(newsletterKey(id), Subscriber)

/** Nobody's reads cost as much as somebody's. */
const NOBODY = 0

/** Without regard to case. */
export const findByEmail = async (table: Table, email: string): Promise<Subscriber | undefined> => {
  const lock = await table.find(newsletterEmailKey(sameCase(email)), EmailLock)
  return await findSubscriber(table, lock?.id ?? NOBODY)
}

type Asked = { status?: Status; page: number; per_page: number }
const nothingHidden = Promise.resolve<string[]>([])

/** Newest first, of one status or all. */
export const listSubscribers = (table: Table, { status, page, per_page: perPage }: Asked) =>
  listPage(table, { list: subscriberList(status), page, perPage, hidden: nothingHidden }, SubscriberEntry)
