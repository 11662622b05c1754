// Finds all that is kept of a person, by one scan of the table.
import * as z from 'zod/mini'
import { findUserIdByEmail } from '../../../shared/accounts/store/users.ts'
import { CommentContent } from '../../../shared/comments/comment.ts'
import { Submission } from '../../../shared/contact/submission.ts'
import { foldedEmail } from '../../../shared/http/email.ts'
import { Refusal } from '../../../shared/mail/refusal.ts'
import { Subscriber } from '../../../shared/newsletter/subscriber.ts'
import { Post } from '../../../shared/posts/post.ts'
import { type Item, type Key, kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { Ticket, TicketReply } from '../../../shared/tickets/ticket.ts'
import type { Context } from '../command.ts'
import { labelOf } from '../record-types.ts'
import { scan } from '../scan.ts'
import { mentions, PERSONAL_DATA, type Person } from './personal-data.ts'

export async function findPerson({ target: { table } }: Context, address: string): Promise<Person> {
  const email = foldedEmail(address.trim())
  return { email, userId: await findUserIdByEmail(table, email) }
}

/** A reply of the person, also in the ticket of another user. */
export type OwnReply = TicketReply & { ticket_id: number }

/** An event in the log of deliveries. */
type OwnEvent = z.infer<typeof Payload> & { key: Key }

export type PersonalData = {
  posts: Post[]
  comments: CommentContent[]
  tickets: Ticket[]
  replies: OwnReply[]
  subscribers: Subscriber[]
  submissions: Submission[]
  refusals: Refusal[]
  events: OwnEvent[]
  /** Attempts to deliver whose answers, or bodies of their own, may show the person. */
  answers: Key[]
  /** Rows without a meaning of their own, which are only deleted. */
  rows: Key[]
  /** Records that stay although their text contains the address, as the output names them: `ticket 5`. */
  mentioned: string[]
}

const ROWS: Kind[] = ['PENDING', 'IDEMPOTENCY', 'DELIVERIES']
const decisions = new Map(Object.entries(PERSONAL_DATA))

const Payload = z.object({
  event: z.string(),
  occurred_at: z.string(),
  data: z.record(z.string(), z.unknown()),
})
const OfComment = z.object({ resource: z.object({ type: z.literal('comment'), id: z.int() }) })
const Attempt = z.object({
  event_id: z.string(),
  response: z.optional(z.unknown()),
  body: z.optional(z.unknown()),
})

/** May miss what is written during the scan. */
export async function collectOf(context: Context, person: Person): Promise<PersonalData> {
  const { client, tableName } = context.target
  const found = new Map<string, Item[]>()
  const mentioned = new Set<string>()
  // An event of a comment has neither number nor address of its author. An answer may repeat its event.
  const ofComments: { comment: number; item: Item }[] = []
  const answers: { eventId: string; isMention: boolean; key: Key }[] = []
  let read = 0
  for await (const items of scan(client, tableName)) {
    for (const item of items) {
      const { pk, sk } = item
      const kind = kindOf(pk)
      const decision = decisions.get(kind)
      if (decision?.isOf?.(item, person)) found.set(kind, [...(found.get(kind) ?? []), item])
      if (mentions(decision?.textsOf?.(item), person.email)) mentioned.add(nameOf(item))
      const { data: event } = kind === ('EVENT' satisfies Kind) ? OfComment.safeParse(item) : {}
      if (event) ofComments.push({ comment: event.resource.id, item })
      const { data: attempt } = kind === ('DELIVERIES' satisfies Kind) ? Attempt.safeParse(item) : {}
      if (attempt?.response || attempt?.body) {
        const isMention = mentions([attempt.response, attempt.body], person.email)
        answers.push({ eventId: attempt.event_id, isMention, key: { pk, sk } })
      }
    }
    read += items.length
    context.progress.show(`Read ${read} items`)
  }
  const all = <T>(kind: Kind, schema: z.ZodMiniType<T>, isOne: (item: Item) => boolean = () => true): T[] =>
    (found.get(kind) ?? []).filter(isOne).map(item => schema.parse(item))
  const comments = all('COMMENT', CommentContent).sort(byId)
  const own = new Set(comments.map(({ id }) => id))
  const ofOwnComments = ofComments.filter(({ comment }) => own.has(comment)).map(({ item }) => item)
  const eventItems = [...(found.get('EVENT' satisfies Kind) ?? []), ...ofOwnComments]
  const events = [...new Map(eventItems.map(item => [item.pk, eventIn(item)])).values()]
  const eventIds = new Set(events.map(({ key }) => nameIn(key.pk)))
  const replies = (found.get('TICKET' satisfies Kind) ?? []).filter(isReply)
  return {
    posts: all('POST', Post).sort(byId),
    comments,
    tickets: all('TICKET', Ticket, item => !isReply(item)).sort(byId),
    replies: replies
      .map(item => ({ ...TicketReply.parse(item), ticket_id: Number(nameIn(item.pk)) }))
      .sort(byId),
    subscribers: all('NEWSLETTER', Subscriber),
    submissions: all('CONTACT', Submission).sort(byId),
    refusals: all('REFUSALS', Refusal),
    events,
    answers: answers
      .filter(({ isMention, eventId }) => isMention || eventIds.has(eventId))
      .map(({ key }) => key),
    rows: ROWS.flatMap(kind => found.get(kind) ?? []).map(({ pk, sk }) => ({ pk, sk })),
    mentioned: [...mentioned].sort(),
  }
}

function eventIn({ pk, sk, body }: Item): OwnEvent {
  return { ...Payload.parse(JSON.parse(String(body))), key: { pk, sk } }
}

/** The records that contain the address, without these of the person. */
export function mentionedOutside(
  { mentioned, ...data }: PersonalData,
  own: ('comments' | 'tickets' | 'submissions')[],
): string[] {
  const labels = new Set(own.flatMap(name => data[name].map(({ id }) => `${LABELS[name]} ${id}`)))
  return mentioned.filter(label => !labels.has(label))
}

const LABELS = { comments: 'comment', tickets: 'ticket', submissions: 'contact message' } as const

function isReply({ sk }: Item): boolean {
  return sk !== 'TICKET'
}

function byId(a: { id: number }, b: { id: number }): number {
  return a.id - b.id
}

/** The record that contains the text: a reply is named by its ticket, a comment by its number. */
function nameOf(item: Item): string {
  const kind = kindOf(item.pk)
  if (kind === ('COMMENT' satisfies Kind)) return `comment ${nameIn(item.pk)}`
  if (kind === ('MENUS' satisfies Kind)) return `menu ${item.sk}`
  return labelOf(item) ?? kind.toLowerCase()
}
