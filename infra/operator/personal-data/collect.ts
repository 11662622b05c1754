// Finds all that is kept of a person, by one scan of the table. README.md says of every kind of item what it
// holds of a person, and what an erasure does with it.
import * as z from 'zod/mini'
import { findUserIdByEmail } from '../../../shared/accounts/store/users.ts'
import { CommentContent } from '../../../shared/comments/comment.ts'
import { Submission } from '../../../shared/contact/submission.ts'
import { caselessEmail, foldedEmail, readableEmail } from '../../../shared/http/email.ts'
import { Refusal } from '../../../shared/mail/refusal.ts'
import { Subscriber } from '../../../shared/newsletter/subscriber.ts'
import { Post } from '../../../shared/posts/post.ts'
import { type Item, type Key, kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { Ticket, TicketReply } from '../../../shared/tickets/ticket.ts'
import type { Context } from '../command.ts'
import { keyOf } from '../doctor/compare.ts'
import { scan } from '../scan.ts'

/** `userId` is missing if no account has the address. */
export type Person = { email: string; userId: number | undefined }

export async function findPerson({ target: { table } }: Context, address: string): Promise<Person> {
  const email = foldedEmail(address.trim())
  return { email, userId: await findUserIdByEmail(table, email) }
}

function isAddress(value: unknown, { email }: Person): boolean {
  return typeof value === 'string' && foldedEmail(value) === email
}

function isUser(value: unknown, { userId }: Person): boolean {
  return userId !== undefined && value === userId
}

/** Whether any text in the value contains the address, in any spelling. */
function mentions(value: unknown, email: string): boolean {
  if (typeof value === 'string') {
    const text = caselessEmail(value)
    return (
      [email, readableEmail(email)].some(spelling => text.includes(spelling)) || foldedEmail(value) === email
    )
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false
  return Object.values(value).some(member => mentions(member, email))
}

function isInEvent(body: string, person: Person): boolean {
  const { event, data } = Object(JSON.parse(body))
  const { id, user_id } = Object(data)
  return (
    mentions(data, person.email) ||
    isUser(user_id, person) ||
    (String(event).startsWith('user.') && isUser(id, person))
  )
}

/** Whether an item is of the person. Items of the other kinds are found through these, or stay. */
const FINDERS: Partial<Record<Kind, (item: Item, person: Person) => boolean>> = {
  POST: ({ sk, author_id }, person) => sk === 'POST' && isUser(author_id, person),
  COMMENT: ({ user_id, guest }, person) => isUser(user_id, person) || isAddress(Object(guest).email, person),
  PENDING: ({ pk }, person) => isUser(Number(nameIn(pk)), person),
  TICKET: ({ sk, user_id, author_id }, person) => isUser(sk === 'TICKET' ? user_id : author_id, person),
  NEWSLETTER: ({ email }, person) => isAddress(email, person),
  CONTACT: ({ email }, person) => isAddress(email, person),
  DELIVERIES: ({ owner_id }, person) => isUser(owner_id, person),
  EVENT: ({ body }, person) => typeof body === 'string' && isInEvent(body, person),
  IDEMPOTENCY: ({ pk }, person) => isUser(Number(nameIn(pk).split('#', 1)[0]), person),
  REFUSALS: ({ email }, person) => isAddress(email, person),
}
const finders = new Map(Object.entries(FINDERS))

/** A reply of the person, also in the ticket of another user. */
const OwnReply = z.extend(TicketReply, { ticket_id: z.int() })

const Payload = z.object({
  event: z.string(),
  occurred_at: z.string(),
  data: z.record(z.string(), z.unknown()),
})

export type PersonalData = {
  posts: Post[]
  comments: CommentContent[]
  tickets: Ticket[]
  replies: z.infer<typeof OwnReply>[]
  subscribers: Subscriber[]
  submissions: Submission[]
  refusals: Refusal[]
  /** In the log of deliveries. */
  events: (z.infer<typeof Payload> & { key: Key })[]
  /** Attempts to deliver whose answers may show the person. `isInBody`: bodies of their own may, too. */
  answers: { key: Key; isInBody: boolean }[]
  /** Rows without a meaning of their own, which are only deleted. */
  rows: Key[]
}

const OfComment = z.object({ resource: z.object({ type: z.literal('comment'), id: z.int() }) })
const Attempt = z.object({
  event_id: z.string(),
  response: z.optional(z.unknown()),
  body: z.optional(z.unknown()),
})

/** May miss what is written during the scan. */
export async function collectOf(context: Context, person: Person): Promise<PersonalData> {
  const { client, tableName } = context.target
  const found: Item[] = []
  // An event of a comment has neither number nor address of its author. An answer may repeat its event.
  const ofComments: { comment: number; item: Item }[] = []
  const answers: { eventId: string; isMention: boolean; isInBody: boolean; key: Key }[] = []
  let read = 0
  for await (const items of scan(client, tableName)) {
    for (const item of items) {
      const kind = kindOf(item.pk)
      if (finders.get(kind)?.(item, person)) found.push(item)
      const { data: event } = kind === ('EVENT' satisfies Kind) ? OfComment.safeParse(item) : {}
      if (event) ofComments.push({ comment: event.resource.id, item })
      const { data: attempt } = kind === ('DELIVERIES' satisfies Kind) ? Attempt.safeParse(item) : {}
      if (attempt?.response || attempt?.body) {
        const isInBody = mentions(attempt.body, person.email)
        const isMention = isInBody || mentions(attempt.response, person.email)
        answers.push({ eventId: attempt.event_id, isMention, isInBody, key: keyOf(item) })
      }
    }
    read += items.length
    context.progress.show(`Read ${read} items`)
  }
  const byKind = Map.groupBy(found, ({ pk }) => kindOf(pk))
  const itemsOf = (kind: Kind) => byKind.get(kind) ?? []
  const comments = recordsIn(itemsOf('COMMENT'), CommentContent)
  const own = new Set(comments.map(({ id }) => id))
  const ofOwnComments = ofComments.filter(({ comment }) => own.has(comment)).map(({ item }) => item)
  const events = new Map([...itemsOf('EVENT'), ...ofOwnComments].map(item => [nameIn(item.pk), item]))
  const isTicket = ({ sk }: Item) => sk === 'TICKET'
  const replies = itemsOf('TICKET').filter(item => !isTicket(item))
  return {
    posts: recordsIn(itemsOf('POST'), Post),
    comments,
    tickets: recordsIn(itemsOf('TICKET').filter(isTicket), Ticket),
    replies: recordsIn(
      replies.map(item => ({ ...item, ticket_id: Number(nameIn(item.pk)) })),
      OwnReply,
    ),
    subscribers: recordsIn(itemsOf('NEWSLETTER'), Subscriber),
    submissions: recordsIn(itemsOf('CONTACT'), Submission),
    refusals: itemsOf('REFUSALS').map(item => Refusal.parse(item)),
    events: [...events.values()].map(item => ({
      ...Payload.parse(JSON.parse(String(item.body))),
      key: keyOf(item),
    })),
    answers: answers.flatMap(({ isMention, isInBody, eventId, key }) => {
      const isOfEvent = events.has(eventId)
      return isMention || isOfEvent ? [{ key, isInBody: isInBody || isOfEvent }] : []
    }),
    rows: [...itemsOf('PENDING'), ...itemsOf('IDEMPOTENCY'), ...itemsOf('DELIVERIES')].map(keyOf),
  }
}

/** By their ids. */
function recordsIn<T extends { id: number }>(items: object[], schema: z.ZodMiniType<T>): T[] {
  return items.map(item => schema.parse(item)).sort((a, b) => a.id - b.id)
}
