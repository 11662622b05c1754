// Writing tickets: record, reply, lists and events in one transaction; again from the start when overtaken.
import { readAuthors } from '../accounts/authors.ts'
import { type Reply, reply } from '../http/reply.ts'
import type { Work } from '../lambda/work.ts'
import { type Action, STALE } from '../table/action.ts'
import { planMoves, settle } from '../table/counted-list.ts'
import { deciding } from '../table/deciding.ts'
import { replyKey, ticketKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import type { ReplyView, TicketInput } from './fields.ts'
import { placesOf } from './places.ts'
import { getTicket, type Named } from './store.ts'
import { tellingsOf, type Written } from './telling.ts'
import { newTicket, repliedTicket, type Ticket, type TicketReply } from './ticket.ts'
import { replyView } from './view.ts'

export const createTicket = async (work: Work, input: TicketInput, userId: number): Promise<Ticket> => {
  const id = await nextId(work.table, 'ticket')
  const ticket = newTicket(input, { id, userId, now: work.nowSeconds })
  await deciding(() => commitTicket(work, { before: null, after: ticket }))
  return ticket
}

/** Makes of the ticket what `rule` says, which gives back the very same one when there is nothing to change. */
export const changeTicket = (work: Work, named: Named, rule: (ticket: Ticket) => Ticket): Promise<Ticket> =>
  deciding(async () => {
    const before = await getTicket(work.table, named)
    const after = rule(before)
    if (after !== before) await commitTicket(work, { before, after })
    return after
  })

/** Throws NOT_FOUND, and VALIDATION_ERROR when the ticket takes no reply. Answers with the reply's view. */
export const addReply = async (
  work: Work,
  named: Named,
  given: Pick<TicketReply, 'author_id' | 'body' | 'is_staff'>,
): Promise<Reply<ReplyView>> => {
  const [id, authors] = await Promise.all([
    nextId(work.table, 'ticket-reply'),
    readAuthors(work.table, [given.author_id], work.nowMs),
  ])
  const added = { id, ...given, created_at: work.nowSeconds }
  const answer = reply(replyView(added, authors))
  await deciding(async () => {
    const before = await getTicket(work.table, named)
    await commitTicket(work, { before, after: repliedTicket(before, added), reply: added }, answer)
  })
  return answer
}

const commitTicket = async (work: Work, written: Written, answer?: Reply): Promise<void> => {
  const { before, reply: added } = written
  const after = before ? { ...written.after, revision: before.revision + 1 } : written.after
  const plan = await planMoves(work.table, before ? placesOf(before) : [], placesOf(after))
  const actions = [putTicket(before, after), ...(added ? [putReply(after.id, added)] : []), ...plan.actions]
  const happenings = tellingsOf({ ...written, after }, await work.siteUrl())
  await work.commit({ actions, happenings }, answer)
  await settle(work.table, plan.touched)
}

/** Only over the revision that was read, so that no change and no reply is lost. */
const putTicket = (before: Ticket | null, after: Ticket): Action => ({
  refused: STALE,
  Put: {
    Item: { ...ticketKey(after.id), ...after },
    ...(before
      ? { ConditionExpression: 'revision = :r', ExpressionAttributeValues: { ':r': before.revision } }
      : { ConditionExpression: 'attribute_not_exists(pk)' }),
  },
})

const putReply = (ticketId: number, reply: TicketReply): Action => ({
  Put: {
    Item: { ...replyKey(ticketId, reply.id), ...reply },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
})
