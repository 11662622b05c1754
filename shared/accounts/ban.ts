// Bans: who may be banned, what a ban changes, and which events a banned owner's webhooks miss. No I/O.
import { type Fields, invalid } from '../http/errors.ts'
import { type Ban, isBanned, type User } from './user.ts'

/** Throws VALIDATION_ERROR. */
export function requireBannable(
  { id, ban }: { id: number; ban: Ban },
  actorId: number,
  nowSeconds: number,
): void {
  const faults: Fields = {
    ...(id === actorId && { id: ['Must not be your own id: you cannot ban yourself.'] }),
    ...(ban.until !== null && ban.until <= nowSeconds && { until: ['Must be in the future.'] }),
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}

/** Replaces an earlier ban. Returns the same object when the ban is already in place. */
export function withBan(user: User, ban: Ban): User {
  return user.ban?.reason === ban.reason && user.ban.until === ban.until ? user : { ...user, ban }
}

/** Returns the same object when the user is not banned now. */
export function withoutBan(user: User, nowMs: number): User {
  return isBanned(user, Math.floor(nowMs / 1000)) ? { ...user, ban: null, unbanned_at_ms: nowMs } : user
}

type WebhookOwner = Pick<User, 'ban' | 'unbanned_at_ms' | 'admin_since_ms'>

/**
 * Whether the webhooks of this admin get an event of that time. They pause during a ban and while the user
 * has no admin token, and events of a pause are not delivered later.
 */
export function wasListening(user: WebhookOwner, happenedMs: number, nowMs: number): boolean {
  const sinceMs = Math.max(user.unbanned_at_ms ?? 0, user.admin_since_ms ?? 0)
  return !isBanned(user, Math.floor(happenedMs / 1000)) && happenedSince(sinceMs, happenedMs, nowMs)
}

const CLOCKS_DIFFER_MS = 2_000

/** A moment to come was recorded by a clock that is ahead, which by up to 2 s drops no event. */
export function happenedSince(sinceMs: number, happenedMs: number, nowMs: number): boolean {
  return happenedMs >= (sinceMs > nowMs ? sinceMs - CLOCKS_DIFFER_MS : sinceMs)
}
