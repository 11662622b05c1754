// Tickets, contact messages, newsletter subscribers and addresses that refuse mail.
import {
  listEntryOf,
  listsOfSubmissions,
  SUBMISSIONS,
  Submission,
} from '../../../shared/contact/submission.ts'
import { isInForce, Refusal } from '../../../shared/mail/refusal.ts'
import { listRefusals } from '../../../shared/mail/refusals.ts'
import { lockEmail } from '../../../shared/newsletter/commands.ts'
import { Status as SubscriberStatus } from '../../../shared/newsletter/contract.ts'
import {
  listsOfSubscribers,
  Subscriber,
  listEntriesOf as subscriberEntries,
  subscriberList,
} from '../../../shared/newsletter/subscriber.ts'
import {
  descriptionKey,
  newsletterKey,
  REPLY_PREFIX,
  submissionKey,
  ticketKey,
} from '../../../shared/table/design.ts'
import { STATUSES } from '../../../shared/tickets/fields.ts'
import {
  listsOfTickets,
  Ticket,
  listEntriesOf as ticketEntries,
  ticketList,
} from '../../../shared/tickets/ticket.ts'
import { type Count, lengthOf, lengthsByStatus } from '../count.ts'
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
  counts: { tickets: lengthsByStatus(STATUSES, ticketList) },
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
  counts: { contact: lengthOf(SUBMISSIONS) },
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
  counts: { newsletter: lengthsByStatus(SubscriberStatus.options, subscriberList) },
})

const refusalsByState: Count = async ({ target }) => {
  const all = await listRefusals(target.table)
  const refused = all.filter(isInForce).length
  return { refused, allowed: all.length - refused, total: all.length }
}

export const refusals = recordType({
  name: 'refused address',
  kind: 'REFUSALS',
  // Without the address: the output of the doctor may be shown to others.
  labelOf: ({ sk }) => `refused address ${sk.slice(0, 12)}`,
  schema: Refusal,
  versionAttributes: ['refused_ms', 'allowed_ms'],
  counts: { refused_addresses: refusalsByState },
})
