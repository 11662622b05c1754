// Imports tickets. Their replies follow one by one, since a ticket may have more than fit into a transaction.
import { ApiError } from '../../../../shared/http/errors.ts'
import { ALREADY_IMPORTED, claimOrigin, findOrigins } from '../../../../shared/imports/origins.ts'
import { failedAs } from '../../../../shared/table/conditions.ts'
import { ticketKey } from '../../../../shared/table/design.ts'
import { retryOnConflict } from '../../../../shared/table/retry-on-conflict.ts'
import { putDescription, putReply, putTicket } from '../../../../shared/tickets/commands.ts'
import { eventsOf } from '../../../../shared/tickets/events.ts'
import { listEntriesOf } from '../../../../shared/tickets/lists.ts'
import { getTicket } from '../../../../shared/tickets/store.ts'
import { type Ticket, type TicketReply, ticketWithReply } from '../../../../shared/tickets/ticket.ts'
import type { TicketItem } from '../item.ts'
import { type ImportJob, idFor, idOf, originNameOf } from './job.ts'
import { type Maker, Skip } from './maker.ts'

function check(job: ImportJob, { user }: TicketItem): void {
  if (idOf(job, user) === undefined) throw new Skip('Its user was not imported.')
}

async function change(job: ImportJob, { user, value }: TicketItem, id: number) {
  const { description, ...members } = value
  const ticket: Ticket = { id, user_id: idOf(job, user) ?? 0, ...members, reply_bytes: 0, revision: 1 }
  return {
    actions: [putTicket(null, ticket), putDescription(id, description)],
    lists: { after: listEntriesOf(ticket) },
    events: eventsOf({ before: null, after: ticket }, await job.work().siteUrl()),
  }
}

/** Adds the replies that no earlier run has added. A deleted ticket stays deleted. */
async function complete(job: ImportJob, item: TicketItem, ticketId: number): Promise<void> {
  const names = item.replies.map(({ id }) => `${originNameOf(job, item)} reply:${id}`)
  const added = await findOrigins(job.table, names)
  for (const [n, reply] of item.replies.entries()) {
    const origin = names[n] ?? ''
    if (!added.has(origin)) await addReply(job, item, ticketId, reply, origin)
  }
}

/** Neither the status nor the dates of the ticket change, which are as they were after the last reply. */
async function addReply(
  job: ImportJob,
  item: TicketItem,
  ticketId: number,
  { id: wanted, author, ...members }: TicketItem['replies'][number],
  origin: string,
): Promise<void> {
  const id = await idFor(job, 'ticket-reply', wanted)
  const reply: TicketReply = { id, author_id: idOf(job, author) ?? idOf(job, item.user) ?? 0, ...members }
  const attempt = async () => {
    const before = await getTicket(job.table, { id: ticketId }).catch(error => {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined
      throw error
    })
    if (!before) return
    const { reply_bytes } = ticketWithReply({ ...before, status: 'open' }, reply)
    const after = { ...before, reply_bytes, revision: before.revision + 1 }
    await job.work().commit({
      actions: [
        putTicket(before, after),
        putReply(ticketId, reply),
        claimOrigin({ name: origin, id, digest: '' }),
      ],
    })
  }
  await retryOnConflict(attempt).catch(error => {
    if (!failedAs(error, ALREADY_IMPORTED)) throw error
  })
}

export const TICKETS: Maker<TicketItem> = { counter: 'ticket', keyOf: ticketKey, check, change, complete }
