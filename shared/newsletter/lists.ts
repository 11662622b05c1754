// The lists of subscribers: all, and by status, each newest first. No I/O.
import { type List, type ListEntry, newestFirst } from '../lists/counted-list.ts'
import { timeOrder } from '../table/design.ts'
import { Status } from './contract.ts'
import { type Subscriber, SubscriberEntry } from './subscriber.ts'

export function subscriberList(status?: Status): List {
  return newestFirst(`newsletter:${status ?? 'all'}`)
}

/** Every list of subscribers. The doctor checks these. */
export function listsOfSubscribers() {
  return [undefined, ...Status.options].map(subscriberList)
}

export function listEntriesOf(subscriber: Subscriber): ListEntry[] {
  const order = timeOrder(subscriber.created_at, subscriber.id)
  const item = SubscriberEntry.parse(subscriber)
  return [subscriberList(), subscriberList(subscriber.status)].map(list => ({ list, order, item }))
}
