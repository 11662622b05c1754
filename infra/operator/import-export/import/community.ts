// Imports tickets with their replies, newsletter subscribers and contact messages.
import { eventOf } from '../../../../shared/contact/events.ts'
import { listEntryOf } from '../../../../shared/contact/lists.ts'
import { subscriberActions } from '../../../../shared/newsletter/commands/subscribers.ts'
import { eventsOf as subscriberEvents } from '../../../../shared/newsletter/events.ts'
import { listEntriesOf as subscriberEntries } from '../../../../shared/newsletter/lists.ts'
import { findByEmail } from '../../../../shared/newsletter/store.ts'
import { isNew } from '../../../../shared/table/conditions.ts'
import { newsletterKey, submissionKey } from '../../../../shared/table/design.ts'
import type { SubmissionItem, SubscriberItem } from '../item.ts'
import type { Maker } from './maker.ts'

export const SUBSCRIBERS: Maker<SubscriberItem> = {
  counter: 'subscriber',
  keyOf: newsletterKey,
  find: async ({ table }, { value: { email } }) => {
    const subscriber = await findByEmail(table, email)
    return subscriber && { id: subscriber.id, reason: 'This address has a subscription.' }
  },
  change: async ({ work }, { value }, id) => {
    const subscriber = { id, ...value, revision: 1 }
    return {
      actions: subscriberActions(undefined, subscriber),
      lists: { after: subscriberEntries(subscriber) },
      events: subscriberEvents(undefined, subscriber, await work().siteUrl()),
    }
  },
}

export const SUBMISSIONS: Maker<SubmissionItem> = {
  counter: 'submission',
  keyOf: submissionKey,
  change: async ({ work }, { value }, id) => {
    const submission = { id, ...value }
    return {
      actions: [{ Put: { Item: { ...submissionKey(id), ...submission }, ...isNew } }],
      lists: { after: [listEntryOf(submission)] },
      events: [eventOf(submission, await work().siteUrl())],
    }
  },
}
