// The record of a user: its rules, bans, lists, views and events. No I/O.
import * as z from 'zod/mini'
import type { DomainEvent, EventData } from '../events/catalogue.ts'
import { caselessEmail, foldedEmail, readableEmail } from '../http/email.ts'
import { isoTime } from '../http/time.ts'
import { fixedList, type ListEntry } from '../lists/counted-list.ts'
import { cut, prefixOrder, textOrder } from '../lists/text-order.ts'
import { sortable } from '../table/design.ts'
import type { AdminUser } from './admin-contract.ts'
import type { ProfileChange, Session, TokenView } from './fields.ts'
import { type Actor, abilitiesOf, type UsedToken } from './token.ts'

const Ban = z.object({
  reason: z.nullable(z.string()),
  /** Epoch seconds at which the ban ends; null until an admin lifts it. */
  until: z.nullable(z.number()),
})
export type Ban = z.infer<typeof Ban>

export const User = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  avatar: z.nullable(z.string()),
  bio: z.nullable(z.string()),
  ban: z.nullable(Ban),
  /** When a ban was last lifted before its end. */
  unbanned_at_ms: z.optional(z.int()),
  /** Tokens with a smaller id are revoked. Ids only rise, and a reset takes a new one for this value. */
  first_valid_token: z.int(),
  /** Whether the user asked for the newsletter while the address was not verified. */
  wants_newsletter: z.optional(z.boolean()),
  /** When the erasure of the account began, in epoch seconds. The account is removed at its end. */
  erasing_since: z.optional(z.int()),
  /** Increased by each change; the condition of a write. */
  revision: z.int(),
  created_at: z.number(),
})
export type User = z.infer<typeof User>

/** The list entry of a user, without the members that lists do not show and that change more often. */
export const UserEntry = z.omit(User, {
  first_valid_token: true,
  wants_newsletter: true,
  erasing_since: true,
  revision: true,
})
export type UserEntry = z.infer<typeof UserEntry>

/** A ban ends by itself in the second of `until`. */
export function isBanned({ ban }: Pick<User, 'ban'>, nowSeconds: number): boolean {
  return ban !== null && (ban.until === null || ban.until > nowSeconds)
}

/** Returns the same object when nothing changes. */
export function changedProfile(user: User, change: ProfileChange): User {
  const { name = user.name, bio = user.bio, avatar = user.avatar } = change
  const isSame = name === user.name && bio === user.bio && avatar === user.avatar
  return isSame ? user : { ...user, name, bio, avatar }
}

/** The public profile of a user, as posts, comments and tickets show it. */
export const Author = z.object({ id: z.int(), name: z.string(), avatar: z.nullable(z.string()) })
export type Author = z.infer<typeof Author>

/** Shown in place of a user who was erased. */
export const DELETED_USER = 'Deleted user'

/** The name of a user; an erased one has no profile. */
export function nameOf(author: Pick<Author, 'name'> | undefined): string {
  return author?.name ?? DELETED_USER
}

/** Replaces an earlier ban. Returns the same object when the ban is already in place. */
export function withBan(user: User, ban: Ban): User {
  return user.ban?.reason === ban.reason && user.ban.until === ban.until ? user : { ...user, ban }
}

/** Returns the same object when the user is not banned now. */
export function withoutBan(user: User, nowMs: number): User {
  return isBanned(user, Math.floor(nowMs / 1000)) ? { ...user, ban: null, unbanned_at_ms: nowMs } : user
}

/** Whether the webhooks of the user get an event of that time. Events of a ban are not delivered later. */
export function wasListening(user: User, happenedMs: number, nowMs: number): boolean {
  const isOfBan = isBanned(user, Math.floor(happenedMs / 1000))
  return !isOfBan && happenedSince(user.unbanned_at_ms ?? 0, happenedMs, nowMs)
}

const CLOCKS_DIFFER_MS = 2_000

/** A `sinceMs` in the future was recorded by a clock that is ahead; up to 2 s of that drop no event. */
export function happenedSince(sinceMs: number, happenedMs: number, nowMs: number): boolean {
  return happenedMs >= (sinceMs > nowMs ? sinceMs - CLOCKS_DIFFER_MS : sinceMs)
}

export const USERS = fixedList('users', 'ascending')
const USERS_BY_NAME = fixedList('users:name', 'ascending')
const USERS_BY_EMAIL = fixedList('users:email', 'ascending')

/** Every list of users. The doctor checks these. */
export function listsOfUsers() {
  return [USERS, USERS_BY_NAME, USERS_BY_EMAIL]
}

/** An address is unique in any spelling and fits a sort key, so it is its own order. */
export function listEntriesOf(user: User): ListEntry[] {
  const item = UserEntry.parse(user)
  return [
    { list: USERS, order: sortable(user.id), item },
    { list: USERS_BY_NAME, order: textOrder(user.name, user.id), item },
    { list: USERS_BY_EMAIL, order: caselessEmail(user.email), item },
  ]
}

/** The longest valid address; a text of this length always fits a sort key. */
const LONGEST_ADDRESS = 254

/**
 * The parts of lists with the users whose name or address begins with the text, the likelier first: the
 * address if the text has an @. An address is looked for as given, then with its host in other spellings.
 */
export function searchRanges(beginning: string) {
  const byName = { list: USERS_BY_NAME, prefix: prefixOrder(beginning) }
  const folded = foldedEmail(beginning)
  const spellings = new Set([caselessEmail(beginning), folded, readableEmail(folded)])
  const byEmail = [...spellings].map(text => ({ list: USERS_BY_EMAIL, prefix: cut(text, LONGEST_ADDRESS) }))
  return beginning.includes('@') ? [...byEmail, byName] : [byName, ...byEmail]
}

function loginUser({ id, name, email, email_verified }: UserEntry) {
  return { id, name, email, email_verified }
}

/** The answer of a login and a registration; `token` is its text, which is not stored. */
export function session(user: User, token: string): Session {
  return {
    token,
    token_type: 'Bearer',
    user: loginUser(user),
  }
}

export function profile(user: User, actor: Actor) {
  return {
    ...loginUser(user),
    avatar: user.avatar,
    bio: user.bio,
    abilities: actor.abilities,
    created_at: isoTime(user.created_at),
  }
}

/** A ban that has ended is not shown. */
export function adminUser(user: UserEntry, nowSeconds: number): AdminUser {
  const ban = isBanned(user, nowSeconds) ? user.ban : null
  return {
    ...loginUser(user),
    avatar: user.avatar,
    bio: user.bio,
    is_banned: ban !== null,
    ban_reason: ban?.reason ?? null,
    banned_until: typeof ban?.until === 'number' ? isoTime(ban.until) : null,
    created_at: isoTime(user.created_at),
  }
}

export function tokenView(token: UsedToken, currentId: number): TokenView {
  return {
    id: token.id,
    name: token.name,
    abilities: abilitiesOf(token),
    last_used_at: token.last_used_at === null ? null : isoTime(token.last_used_at),
    expires_at: token.expires_at === null ? null : isoTime(token.expires_at),
    created_at: isoTime(token.created_at),
    is_current: token.id === currentId,
  }
}

/** Fires `user.banned` only if the user was not banned before. */
export function banEvents(
  before: User,
  after: User,
  { nowSeconds, siteUrl }: { nowSeconds: number; siteUrl: string },
): DomainEvent[] {
  if (isBanned(before, nowSeconds) || !isBanned(after, nowSeconds)) return []
  const { ban_reason: reason, banned_until } = adminUser(after, nowSeconds)
  return [{ event: 'user.banned', data: { ...userData(after, siteUrl), reason, banned_until } }]
}

/** The payload that all events of a user share. */
export function userData({ id, name, email }: User, siteUrl: string): EventData<'user.registered'> {
  return {
    id,
    url: siteUrl,
    name,
    email,
  }
}
