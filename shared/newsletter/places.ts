// Where a subscriber stands: among all, and among those of its status; newest first.
import { type List, newestFirst, type Place } from '../table/counted-list.ts'
import { timeOrder } from '../table/design.ts'
import type { Status } from './contract.ts'
import { type Subscriber, SubscriberEntry } from './subscriber.ts'

export const subscriberList = (status?: Status): List => newestFirst(`newsletter:${status ?? 'all'}`)

export const placesOf = (subscriber: Subscriber): Place[] => {
  const order = timeOrder(subscriber.created_at, subscriber.id)
  const item = SubscriberEntry.parse(subscriber)
  return [subscriberList(), subscriberList(subscriber.status)].map(list => ({ list, order, item }))
}
