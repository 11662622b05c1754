// Users and tokens as the API shows them. No I/O.
import { isoTime } from '../http/time.ts'
import type { Actor } from './actor.ts'
import type { AdminUser } from './admin-contract.ts'
import type { Session, TokenView } from './fields.ts'
import { abilitiesOf, type UsedToken } from './token.ts'
import { isBanned, type User, type UserEntry } from './user.ts'

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
