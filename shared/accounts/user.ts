// The account of a person: its record and its rules. No I/O.
import * as z from 'zod/mini'
import type { ProfileChange } from './fields.ts'

const Ban = z.object({
  reason: z.nullable(z.string()),
  /** Epoch seconds at which the ban lifts itself; null: until somebody lifts it. */
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
  /** When a ban was last lifted before its end; missing while none was. */
  unbanned_at_ms: moment,
  /** When the owner made them an admin again after a time without a valid admin token; missing while that never was. */
  admin_since_ms: moment,
  /** Tokens with a smaller id are void: ids only rise, and a reset takes one to draw the line. */
  first_valid_token: z.int(),
  /** Whether it asked for the newsletter while its address was not verified. */
  wants_newsletter: z.optional(z.boolean()),
  /** Raised by every change of the record, which is conditioned on it. */
  revision: z.int(),
  created_at: z.number(),
})
export type User = z.infer<typeof User>

/** What lists show of a user: not what changes with a mere token or wish. */
export const UserEntry = z.omit(User, {
  admin_since_ms: true,
  first_valid_token: true,
  wants_newsletter: true,
  revision: true,
})
export type UserEntry = z.infer<typeof UserEntry>

/** A ban with an end is over at its second, whether or not anybody lifted it. */
export function isBanned({ ban }: Pick<User, 'ban'>, nowSeconds: number): boolean {
  return ban !== null && (ban.until === null || ban.until > nowSeconds)
}

/** The very same user when nothing is different. */
export function changedProfile(user: User, change: ProfileChange): User {
  const { name = user.name, bio = user.bio, avatar = user.avatar } = change
  const isSame = name === user.name && bio === user.bio && avatar === user.avatar
  return isSame ? user : { ...user, name, bio, avatar }
}
