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
import type { AttemptRecord } from '../../../shared/webhooks/delivery.ts'
import type { Context } from '../command.ts'
import { RECORD_TYPES } from '../record-types.ts'
import { scan } from '../scan.ts'
import { commentIdOf, eventIn, type OwnEvent, openLog } from './log.ts'
import { mentions, PERSONAL_DATA, type Person } from './personal-data.ts'

export async function findPerson({ target: { table } }: Context, address: string): Promise<Person> {
  const email = foldedEmail(address.trim())
  return { email, userId: await findUserIdByEmail(table, email) }
}

/** A reply of the person, also in the ticket of another user. */
export type OwnReply = TicketReply & { ticket_id: number }

export type PersonalData = {
  posts: Post[]
  comments: CommentContent[]
  tickets: Ticket[]
  replies: OwnReply[]
  subscribers: Subscriber[]
  submissions: Submission[]
  refusals: Refusal[]
  events: OwnEvent[]
  /** Attempts to deliver whose answers may show the person. */
  answers: AttemptRecord[]
  /** Rows without a meaning of their own, which are only deleted. */
  rows: Key[]
  /** Records that stay although their text contains the address, as the output names them: `ticket 5`. */
  mentioned: string[]
}

const ROWS: Kind[] = ['PENDING', 'IDEMPOTENCY']

/** May miss what is written during the scan. */
export async function collectOf(context: Context, person: Person): Promise<PersonalData> {
  const { client, tableName, table } = context.target
  const log = openLog(table, person)
  const found = new Map<string, Item[]>()
  const mentioned = new Set<string>()
  const ofComments: Item[] = []
  let read = 0
  for await (const items of scan(client, tableName)) {
    for (const item of items) {
      const kind = kindOf(item.pk)
      const decision = decisions.get(kind)
      if (decision?.isOf?.(item, person)) addTo(found, kind, item)
      if (commentIdOf(item) !== undefined) ofComments.push(item)
      if (mentions(decision?.textsOf?.(item), person.email)) mentioned.add(labelOf(item))
    }
    log.look(items)
    read += items.length
    context.progress.show(`Read ${read} items`)
  }
  const all = <T>(kind: Kind, schema: z.ZodMiniType<T>, isOne: (item: Item) => boolean = () => true): T[] =>
    (found.get(kind) ?? []).filter(isOne).map(item => schema.parse(item))
  const comments = all('COMMENT', CommentContent).sort(byId)
  const ownComments = new Set(comments.map(({ id }) => id))
  const eventItems = [
    ...all('EVENT', AnyItem),
    ...ofComments.filter(item => ownComments.has(commentIdOf(item) ?? 0)),
  ]
  const events = [...new Map(eventItems.map(item => [item.pk, eventIn(item)])).values()]
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
    answers: await log.answersTo(events.map(({ key }) => nameIn(key.pk))),
    rows: [...ROWS.flatMap(kind => found.get(kind) ?? []).map(({ pk, sk }) => ({ pk, sk })), ...log.own],
    mentioned: [...mentioned].sort(),
  }
}

const AnyItem = z.looseObject({ pk: z.string(), sk: z.string() })

const decisions = new Map(Object.entries(PERSONAL_DATA))

function addTo(found: Map<string, Item[]>, kind: string, item: Item): void {
  const items = found.get(kind) ?? []
  items.push(item)
  found.set(kind, items)
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
function labelOf(item: Item): string {
  const kind = kindOf(item.pk)
  if (kind === ('COMMENT' satisfies Kind)) return `comment ${nameIn(item.pk)}`
  const labels = RECORD_TYPES.flatMap(type => {
    if (type.isRecord(item)) return [type.labelOf(item)]
    const owner = type.ownerOf(item)
    return owner ? [type.labelOf(owner)] : []
  })
  if (labels[0] !== undefined) return labels[0]
  return kind === ('MENUS' satisfies Kind) ? `menu ${item.sk}` : kind.toLowerCase()
}
