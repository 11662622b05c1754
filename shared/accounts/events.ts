// The events that accounts fire.
import type { DomainEvent, EventData } from '../events/catalogue.ts'
import { isBanned, type User } from './user.ts'
import { adminUser } from './view.ts'

/** Only who was not banned before is news. */
export function banEvents(
  before: User,
  after: User,
  { nowSeconds, siteUrl }: { nowSeconds: number; siteUrl: string },
): DomainEvent[] {
  if (isBanned(before, nowSeconds) || !isBanned(after, nowSeconds)) return []
  const { ban_reason: reason, banned_until } = adminUser(after, nowSeconds)
  return [{ event: 'user.banned', data: { ...userData(after, siteUrl), reason, banned_until } }]
}

/** What events tell of a user. */
export function userData({ id, name, email }: User, siteUrl: string): EventData<'user.registered'> {
  return {
    id,
    url: siteUrl,
    name,
    email,
  }
}
