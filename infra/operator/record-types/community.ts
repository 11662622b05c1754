// Tickets, contact messages, newsletter subscribers and addresses that refuse mail.
import { listEntryOf, listsOfSubmissions } from '../../../shared/contact/lists.ts'
import { Submission } from '../../../shared/contact/submission.ts'
import { Refusal } from '../../../shared/mail/refusal.ts'
import { lockEmail } from '../../../shared/newsletter/commands/subscribers.ts'
import { listsOfSubscribers, listEntriesOf as subscriberEntries } from '../../../shared/newsletter/lists.ts'
import { Subscriber } from '../../../shared/newsletter/subscriber.ts'
import {
  descriptionKey,
  newsletterKey,
  REPLY_PREFIX,
  submissionKey,
  ticketKey,
} from '../../../shared/table/design.ts'
import { listsOfTickets, listEntriesOf as ticketEntries } from '../../../shared/tickets/lists.ts'
import { Ticket } from '../../../shared/tickets/ticket.ts'
import { byListedId, byMember, byPartition, putBy, recordType } from '../record-type.ts'

export const tickets = recordType({
  name: 'ticket',
  kind: 'TICKET',
  sk: 'TICKET',
  schema: Ticket,
  versionAttributes: ['revision'],
  listEntriesOf: ticketEntries,
  lists: listsOfTickets(),
  entryOwner: byListedId(ticketKey),
  dependentsOf: ({ id }) => [{ item: { ...descriptionKey(id), id }, isIrreplaceable: true }],
  dependents: {
    TICKET: {
      name: 'text',
      owner: byPartition(ticketKey),
      isOptional: ({ sk }) => sk.startsWith(REPLY_PREFIX),
      compared: ['id'],
    },
  },
})

export const submissions = recordType({
  name: 'contact message',
  kind: 'CONTACT',
  sk: 'CONTACT',
  schema: Submission,
  versionAttributes: [],
  listEntriesOf: submission => [listEntryOf(submission)],
  lists: listsOfSubmissions(),
  entryOwner: byListedId(submissionKey),
})

export const subscribers = recordType({
  name: 'subscriber',
  kind: 'NEWSLETTER',
  sk: 'NEWSLETTER',
  schema: Subscriber,
  versionAttributes: ['revision'],
  listEntriesOf: subscriberEntries,
  lists: listsOfSubscribers(),
  entryOwner: byListedId(newsletterKey),
  dependentsOf: subscriber => putBy([lockEmail(subscriber)]),
  dependents: { NEWSLETTEREMAIL: { name: 'address lock', owner: byMember('id', newsletterKey) } },
})

export const refusals = recordType({
  name: 'refused address',
  kind: 'REFUSALS',
  // Without the address: the output of the doctor may be shown to others.
  labelOf: ({ sk }) => `refused address ${sk.slice(0, 12)}`,
  schema: Refusal,
  versionAttributes: ['refused_ms', 'allowed_ms'],
})
