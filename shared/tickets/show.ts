// Tickets with what else belongs to their answers: replies, the names of who wrote them, for admins their users.
import { findAuthors } from '../accounts/store/authors.ts'
import { User } from '../accounts/user.ts'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import type { Table } from '../table/client.ts'
import { userKey } from '../table/design.ts'
import type { TicketView } from './fields.ts'
import { listReplies } from './store.ts'
import type { TicketEntry } from './ticket.ts'
import { ticketView } from './view.ts'

export async function withReplies({ table, nowMs }: UnitOfWork, ticket: TicketEntry): Promise<TicketView> {
  const replies = await listReplies(table, ticket.id)
  const authorIds = replies.map(({ author_id }) => author_id)
  return ticketView(ticket, replies, await findAuthors(table, authorIds, nowMs))
}

export type Users = Map<number, User>

/** Whose they are, in one read. */
export async function usersOf(table: Table, tickets: TicketEntry[]): Promise<Users> {
  const ids = new Set(tickets.map(({ user_id }) => user_id))
  const users = (await table.findMany([...ids].map(userKey))).map(item => User.parse(item))
  return new Map(users.map(user => [user.id, user]))
}

export function userOf({ user_id: id }: TicketEntry, users: Users) {
  const { name, email } = users.get(id) ?? { name: '', email: '' }
  return { id, name, email }
}
