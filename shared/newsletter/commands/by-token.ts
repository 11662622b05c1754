// Confirms or ends a subscription by the token of a mail, which only the owner of the address has.
import { requireKey } from '../../aws/secret-value.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { type ApiError, invalid } from '../../http/errors.ts'
import { parseLinkToken } from '../../mail/link-token.ts'
import { subscriberIdOf } from '../links.ts'
import { confirmSubscription, isConfirmable, type Subscriber, unsubscribe } from '../subscriber.ts'
import { changeById, type Rule } from './subscribers.ts'

/** `key` is the value of the secret that signs links. */
type ByToken = { key: string; token: string }

/** Throws VALIDATION_ERROR for a token that is wrong or whose mail is too old. */
export async function confirmByToken(work: UnitOfWork, byToken: ByToken): Promise<void> {
  await changeByToken(work, byToken, (subscriber, nowSeconds) => {
    if (!isConfirmable(subscriber, nowSeconds)) throw wrongToken()
    return confirmSubscription(subscriber, nowSeconds)
  })
}

/** Throws VALIDATION_ERROR for a wrong token. */
export async function unsubscribeByToken(work: UnitOfWork, byToken: ByToken): Promise<void> {
  await changeByToken(work, byToken, unsubscribe)
}

/** A wrong token and the token of a deleted subscriber get the same answer. */
async function changeByToken(work: UnitOfWork, { key, token }: ByToken, rule: Rule): Promise<Subscriber> {
  const link = parseLinkToken(token)
  if (link) requireKey(key, link.keyId, wrongToken())
  const id = subscriberIdOf(key, token, work.nowSeconds)
  const changed = id === undefined ? undefined : await changeById(work, id, rule)
  if (!changed) throw wrongToken()
  return changed
}

function wrongToken(): ApiError {
  return invalid({ token: ['Is wrong or expired: ask for a new mail.'] })
}
