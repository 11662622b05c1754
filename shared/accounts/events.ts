// The events that accounts fire. No I/O.
import type { DomainEvent, EventData } from '../events/catalogue.ts'
import { isBanned, type User } from './user.ts'
import { adminUser } from './view.ts'

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
