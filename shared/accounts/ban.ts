// Bans: who may be banned until when, what becomes of the user, and who is told. No I/O.
import { type Fields, invalid } from '../http/errors.ts'
import { type Ban, isBanned, type User } from './user.ts'

/** Throws VALIDATION_ERROR. */
export function requireBannable(
  { id, ban }: { id: number; ban: Ban },
  actorId: number,
  nowSeconds: number,
): void {
  const faults: Fields = {
    ...(id === actorId && { id: ['Must be somebody else: nobody can ban themselves.'] }),
    ...(ban.until !== null && ban.until <= nowSeconds && { until: ['Must be in the future.'] }),
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}

/** A ban takes the place of another; the same one again changes nothing. */
export function withBan(user: User, ban: Ban): User {
  return user.ban?.reason === ban.reason && user.ban.until === ban.until ? user : { ...user, ban }
}

/** Of one who is not banned, or no longer, nothing changes. */
export function withoutBan(user: User, nowMs: number): User {
  return isBanned(user, Math.floor(nowMs / 1000)) ? { ...user, ban: null, unbanned_at_ms: nowMs } : user
}

type WebhookOwner = Pick<User, 'ban' | 'unbanned_at_ms' | 'admin_since_ms'>

/**
 * Whether an event of that moment is for the webhooks of this user, who is an admin now. They rest during a ban and
 * while there is no admin token; events of that time are not delivered late either.
 */
export function wasListening(user: WebhookOwner, happenedMs: number): boolean {
  return (
    !isBanned(user, Math.floor(happenedMs / 1000)) &&
    happenedMs >= Math.max(user.unbanned_at_ms ?? 0, user.admin_since_ms ?? 0)
  )
}
