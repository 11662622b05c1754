// What each kind of item holds of a person, and what `user erase` does with it: a decision for every kind.
import { caselessEmail, foldedEmail, readableEmail } from '../../../shared/http/email.ts'
import { PostTexts } from '../../../shared/posts/fields.ts'
import { type Item, nameIn } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'

/** `userId` is missing if no account has the address. */
export type Person = { email: string; userId: number | undefined }

type Decision = {
  /** What the kind holds of a person, and what an erasure does with it: a row of README.md. */
  holds: string
  erased: string
  /** Whether an item is of the person. Kinds without it are found through another kind, or stay. */
  isOf?: (item: Item, person: Person) => boolean
  /** The texts in which anyone may have written an address. They stay, and the command names them. */
  textsOf?: (item: Item) => unknown
}

/** It holds nothing of a person. */
const NOTHING = null

function isAddress(value: unknown, { email }: Person): boolean {
  return typeof value === 'string' && foldedEmail(value) === email
}

function isUser(value: unknown, { userId }: Person): boolean {
  return userId !== undefined && value === userId
}

/** Whether any text in the value contains the address, in any spelling. */
export function mentions(value: unknown, email: string): boolean {
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

const WITH_ACCOUNT = 'Deleted with the account'
const WITH_POST = 'As its post'

export const PERSONAL_DATA: Record<Kind, Decision | typeof NOTHING> = {
  USER: {
    holds: 'Account, and hashes of its tokens',
    erased: 'First the tokens are revoked and the account is locked; both are deleted last',
    textsOf: ({ bio }) => bio,
  },
  AUTHOR: { holds: 'Public name and picture', erased: WITH_ACCOUNT },
  PASSWORD: { holds: 'Hash of the password', erased: 'Deleted first' },
  EMAIL: { holds: 'Hash of the address', erased: WITH_ACCOUNT },
  POST: {
    holds: 'Number of the author',
    erased: 'Stays under "Deleted user"; `--posts-to EMAIL` names another author',
    isOf: ({ sk, author_id }, person) => sk === 'POST' && isUser(author_id, person),
    textsOf: post => [post.title, post.short_description, PostTexts.parse(post)],
  },
  SLUG: { holds: 'Number of the author', erased: WITH_POST },
  SCHEDULED: NOTHING,
  CHUNK: NOTHING,
  LEFTOVER: NOTHING,
  DOC: NOTHING,
  INDEX: NOTHING,
  SEGMENT: NOTHING,
  CATEGORIES: NOTHING,
  CATEGORYTOTALS: NOTHING,
  CATEGORYSLUG: NOTHING,
  LIST: { holds: 'Copies of records', erased: 'With their records, so that every count stays exact' },
  COMMENT: {
    holds: 'Number of a user, or name and address of a guest',
    erased: 'Stays under "Deleted user", without an address; `--delete-content` deletes it with replies',
    isOf: (item, person) => isUser(item.user_id, person) || isAddress(Object(item.guest).email, person),
    textsOf: ({ body }) => body,
  },
  THREAD: { holds: 'Number of the user', erased: 'As its comment' },
  PENDING: {
    holds: 'Numbers of comments that await approval',
    erased: 'Deleted',
    isOf: ({ pk }, person) => isUser(Number(nameIn(pk)), person),
  },
  TICKET: {
    holds: 'Number of the user, of a ticket and of each reply',
    erased: 'Stays under "Deleted user"; `--delete-content` deletes own tickets with all replies',
    isOf: ({ sk, user_id, author_id }, person) => isUser(sk === 'TICKET' ? user_id : author_id, person),
    textsOf: ({ subject, description, body }) => [subject, description, body],
  },
  NEWSLETTER: {
    holds: 'Address of a subscriber',
    erased: 'Deleted; fires nothing, as when an admin deletes it',
    isOf: ({ email }, person) => isAddress(email, person),
  },
  NEWSLETTEREMAIL: { holds: 'Hash of the address', erased: 'With its subscriber' },
  CONTACT: {
    holds: 'Name, address and message',
    erased: 'Deleted',
    isOf: ({ email }, person) => isAddress(email, person),
    textsOf: ({ name, subject, message }) => [name, subject, message],
  },
  SETTINGS: {
    holds: 'Perhaps the address, as `general.contact_email`',
    erased: 'Stays, since it is the site’s; the command names it',
    textsOf: item => item,
  },
  MENUS: {
    holds: 'Perhaps the address, in a link',
    erased: 'Stays, since it is the site’s; the command names it',
    textsOf: item => item,
  },
  WEBHOOK: {
    holds: 'Subscriptions of an admin, with sealed secret and counts',
    erased: 'Deleted; nothing is delivered to them from the first step on',
  },
  SUBSCRIBERS: { holds: 'Number of the owner', erased: 'With its subscription' },
  SUBSCRIPTIONS: NOTHING,
  DELIVERIES: {
    holds: 'Number of the owner, URL, start of the answer',
    erased: 'Deleted: answers to events of the person or with the address; all to own subscriptions',
    isOf: ({ owner_id }, person) => isUser(owner_id, person),
  },
  EVENT: {
    holds: 'Delivered events, which may hold number, name and address',
    erased: 'Those with the number or the address, and those of the comments, are deleted',
    isOf: ({ body }, person) => typeof body === 'string' && isInEvent(body, person),
  },
  BURST: {
    holds: 'Number of the owner; numbers of records, which may be of a person',
    erased: 'Sent within the hour; expires after 30 days',
  },
  ORIGIN: NOTHING,
  IDEMPOTENCY: {
    holds: 'Answers to an admin, for a repetition of the same request',
    erased: 'Those to the person are deleted; others expire after 24 hours',
    isOf: ({ pk }, person) => isUser(Number(nameIn(pk).split('#', 1)[0]), person),
  },
  OUTBOX: {
    holds: 'Events and mails on their way, which may hold name and address',
    erased: 'Sent within minutes; a mail finds no recipient once the account is deleted',
  },
  LIMIT: {
    holds: 'Keyed hashes of addresses and IP addresses',
    erased: 'Expires after at most 30 days; no address can be read from it',
  },
  MAIL: { holds: 'State of a mail, without its address', erased: 'Expires after 30 days' },
  REFUSALS: {
    holds: 'Address that gets no mail, and what its server answered',
    erased: 'Deleted. SES keeps a list of its own, so it still sends nothing there',
    isOf: ({ email }, person) => isAddress(email, person),
  },
  VERSION: NOTHING,
  CHANGES: { holds: 'Number of an author whose name or picture changed', erased: 'Expires after 31 days' },
  COUNTER: NOTHING,
}

/** A Markdown table of the kinds that hold something of a person, for README.md. */
export function personalDataTable(): string {
  const rows = Object.entries(PERSONAL_DATA).flatMap(([kind, decision]) =>
    decision ? [`| \`${kind}\` | ${decision.holds} | ${decision.erased} |`] : [],
  )
  return ['| items | hold of a person | `user erase` |', '|---|---|---|', ...rows].join('\n')
}
