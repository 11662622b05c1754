// Tickets, contact messages and subscribers to the newsletter, as the doctor knows them.
import { listEntryOf, SUBMISSIONS, Submission } from '../../../../shared/contact/submission.ts'
import { lockEmail } from '../../../../shared/newsletter/commands.ts'
import { Status as SubscriberStatus } from '../../../../shared/newsletter/contract.ts'
import { subscriberList, listEntriesOf as subscriberPlaces } from '../../../../shared/newsletter/lists.ts'
import { Subscriber } from '../../../../shared/newsletter/subscriber.ts'
import { newsletterKey, submissionKey, ticketKey } from '../../../../shared/table/design.ts'
import { STATUSES } from '../../../../shared/tickets/fields.ts'
import { ticketList, listEntriesOf as ticketPlaces, ticketsOfUser } from '../../../../shared/tickets/lists.ts'
import { Ticket } from '../../../../shared/tickets/ticket.ts'
import { byMember, byPartition, byShownId, putBy, slice } from '../slice.ts'

export const tickets = slice({
  name: 'ticket',
  kind: 'TICKET',
  sk: 'TICKET',
  schema: Ticket,
  stamps: ['revision'],
  listEntriesOf: ticketPlaces,
  lists: [ticketList(), ...STATUSES.map(ticketList), ticketsOfUser],
  entryOwner: byShownId(ticketKey),
  hangs: { TICKET: { name: 'reply', owner: byPartition(ticketKey), isOptional: true } },
})

export const submissions = slice({
  name: 'contact message',
  kind: 'CONTACT',
  sk: 'CONTACT',
  schema: Submission,
  stamps: [],
  listEntriesOf: submission => [listEntryOf(submission)],
  lists: [SUBMISSIONS],
  entryOwner: byShownId(submissionKey),
  hangs: {},
})

export const subscribers = slice({
  name: 'subscriber',
  kind: 'NEWSLETTER',
  sk: 'NEWSLETTER',
  schema: Subscriber,
  stamps: ['revision'],
  listEntriesOf: subscriberPlaces,
  lists: [subscriberList(), ...SubscriberStatus.options.map(status => subscriberList(status))],
  entryOwner: byShownId(newsletterKey),
  hangingOf: subscriber => putBy([lockEmail(subscriber)]),
  hangs: { NEWSLETTEREMAIL: { name: 'address lock', owner: byMember('id', newsletterKey) } },
})
