// The record of a user and its rules. No I/O.
import * as z from 'zod/mini'
import type { ProfileChange } from './fields.ts'

const Ban = z.object({
  reason: z.nullable(z.string()),
  /** Epoch seconds at which the ban ends; null until an admin lifts it. */
  until: z.nullable(z.number()),
})
export type Ban = z.infer<typeof Ban>

const moment = z.optional(z.int())

export const User = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  avatar: z.nullable(z.string()),
  bio: z.nullable(z.string()),
  ban: z.nullable(Ban),
  /** When a ban was last lifted before its end. */
  unbanned_at_ms: moment,
  /** When the user last became an admin again after a time without a valid admin token. */
  admin_since_ms: moment,
  /** Tokens with a smaller id are revoked. Ids only rise, and a reset takes a new one for this value. */
  first_valid_token: z.int(),
  /** Whether the user asked for the newsletter while the address was not verified. */
  wants_newsletter: z.optional(z.boolean()),
  /** When the erasure of the account began, in epoch seconds. The account is removed at its end. */
  erasing_since: moment,
  /** Increased by each change; the condition of a write. */
  revision: z.int(),
  created_at: z.number(),
})
export type User = z.infer<typeof User>

/** The list entry of a user, without the members that lists do not show and that change more often. */
export const UserEntry = z.omit(User, {
  admin_since_ms: true,
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
