// A user's own subscription. Anyone can register with another person's address: until it is verified, the
// account only stores the request, and only the links in mails change the subscription.
import { changeUser } from '../../accounts/commands/users.ts'
import type { User } from '../../accounts/user.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import type { OwnSubscription } from '../contract.ts'
import { confirmSubscription, unsubscribe } from '../subscriber.ts'
import { ownSubscription, unverifiedSubscription } from '../view.ts'
import { changeByEmail, requestByEmail } from './subscribers.ts'

export async function subscribeUser(work: UnitOfWork, userId: number): Promise<OwnSubscription> {
  const user = await recordRequest(work, userId, true)
  if (user.email_verified) return ownSubscription(await changeByEmail(work, user.email, confirmSubscription))
  await requestByEmail(work, user.email)
  return unverifiedSubscription(user)
}

export async function unsubscribeUser(work: UnitOfWork, userId: number): Promise<void> {
  const user = await recordRequest(work, userId, false)
  if (user.email_verified) await changeByEmail(work, user.email, unsubscribe)
}

/** Stores the request of an account whose address is not verified. */
function recordRequest({ table }: UnitOfWork, userId: number, wants_newsletter: boolean): Promise<User> {
  return changeUser(table, userId, user =>
    user.email_verified || (user.wants_newsletter ?? false) === wants_newsletter
      ? user
      : { ...user, wants_newsletter },
  )
}
