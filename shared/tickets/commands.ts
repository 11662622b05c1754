// Creates, changes and replies to tickets: record, reply, lists and events in one transaction.
import { findAuthors } from '../accounts/store/users.ts'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import { type Reply, reply } from '../http/reply.ts'
import { type Action, CONFLICT, changeOf, isAsRead, isNew } from '../table/action.ts'
import { descriptionKey, replyKey, ticketKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'
import type { ReplyView, TicketInput } from './contract.ts'
import { getTicket, listReplies, type TicketRef } from './store.ts'
import {
  eventsOf,
  listEntriesOf,
  newTicket,
  replyView,
  Ticket,
  type TicketReply,
  type TicketWrite,
  ticketWithReply,
  type WholeTicket,
} from './ticket.ts'

export async function createTicket(
  work: UnitOfWork,
  input: TicketInput,
  userId: number,
): Promise<WholeTicket> {
  const id = await nextId(work.table, 'ticket')
  const ticket = newTicket(input, { id, userId, nowSeconds: work.nowSeconds })
  const texts = [putDescription(id, input.description)]
  await retryOnConflict(() => commitTicket(work, { before: null, after: ticket }, { texts }))
  return { ...ticket, description: input.description }
}

/** Applies `rule`, and writes nothing if it returns the same object. Throws NOT_FOUND. */
export function changeTicket(
  work: UnitOfWork,
  ref: TicketRef,
  rule: (ticket: Ticket) => Ticket,
): Promise<Ticket> {
  return retryOnConflict(async () => {
    const before = await getTicket(work.table, ref)
    const after = rule(before)
    if (after !== before) await commitTicket(work, { before, after })
    return after
  })
}

/** Returns the new reply's answer. Throws NOT_FOUND, or VALIDATION_ERROR if the ticket takes no reply. */
export async function addReply(
  work: UnitOfWork,
  ref: TicketRef,
  input: Pick<TicketReply, 'author_id' | 'body' | 'is_staff'>,
): Promise<Reply<ReplyView>> {
  const [id, authors] = await Promise.all([
    nextId(work.table, 'ticket-reply'),
    findAuthors(work.table, [input.author_id]),
  ])
  const added = { id, ...input, created_at: work.nowSeconds }
  const answer = reply(replyView(added, authors))
  await retryOnConflict(async () => {
    const before = await getTicket(work.table, ref)
    const write = { before, after: ticketWithReply(before, added), reply: added }
    await commitTicket(work, write, { texts: [putReply(ref.id, added)], answer })
  })
  return answer
}

/** Deletes a ticket with its replies, and fires nothing. A no-op without a ticket. */
export function removeTicket(work: UnitOfWork, id: number): Promise<void> {
  return retryOnConflict(async () => {
    const ticket = await work.table.find(ticketKey(id), Ticket)
    if (!ticket) return
    // A reply that is added during this raises the revision, so that this starts again.
    const replies = await listReplies(work.table, id)
    await work.table.removeMany(replies.map(reply => replyKey(id, reply.id)))
    const Delete = { Key: ticketKey(id), ...isAsRead(ticket) }
    const actions = [{ onConditionFailed: CONFLICT, Delete }, { Delete: { Key: descriptionKey(id) } }]
    await work.commit({ actions, lists: { before: listEntriesOf(ticket) } })
  })
}

/** `texts`: the puts of a description or a reply. */
export async function commitTicket(
  work: UnitOfWork,
  write: TicketWrite,
  { texts = [], answer }: { texts?: Action[]; answer?: Reply } = {},
): Promise<void> {
  const { before } = write
  const after = before ? { ...write.after, revision: before.revision + 1 } : write.after
  const lists = { before: before ? listEntriesOf(before) : [], after: listEntriesOf(after) }
  const actions = [putTicket(before, after), ...texts]
  const events = eventsOf({ ...write, after }, await work.siteUrl())
  await work.commit({ actions, lists, events }, answer)
}

/** Conditional on the revision that was read, so that no change and no reply is lost. */
function putTicket(before: Ticket | null, after: Ticket): Action {
  const Key = ticketKey(after.id)
  if (before) return { onConditionFailed: CONFLICT, Update: { Key, ...changeOf(before, after) } }
  return { onConditionFailed: CONFLICT, Put: { Item: { ...Key, ...after }, ...isNew } }
}

export function putDescription(id: number, description: string): Action {
  return { Put: { Item: { ...descriptionKey(id), id, description }, ...isNew } }
}

export function putReply(ticketId: number, reply: TicketReply): Action {
  return {
    Put: {
      Item: { ...replyKey(ticketId, reply.id), ...reply },
      ...isNew,
    },
  }
}
