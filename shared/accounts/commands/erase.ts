// Erases an account in two transactions: the first locks the person out, the last removes what is left.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { foldedEmail } from '../../http/email.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import { hasRevision } from '../../table/conditions.ts'
import { authorKey, emailKey, passwordKey, userKey } from '../../table/design.ts'
import { nextId } from '../../table/next-id.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { DELETED_USER } from '../author.ts'
import { listEntriesOf } from '../lists.ts'
import { findUser } from '../store/users.ts'
import { isBanned, type User } from '../user.ts'
import { removeRevokedTokens } from './tokens.ts'
import { changeUser } from './users.ts'

const REASON = 'The account is being erased.'

/**
 * Revokes all tokens, deletes the password and the public profile, and bans the account, so that no link of a
 * mail opens it again. Fires nothing, because the account disappears. Idempotent. Throws NOT_FOUND.
 */
export function beginErasure(work: UnitOfWork, userId: number): Promise<User> {
  const lockOut = async (user: User): Promise<User> => {
    if (user.erasing_since !== undefined && isBanned(user, work.nowSeconds)) return user
    return {
      ...user,
      name: DELETED_USER,
      avatar: null,
      bio: null,
      ban: { reason: REASON, until: null },
      first_valid_token: await nextId(work.table, 'token'),
      erasing_since: user.erasing_since ?? work.nowSeconds,
    }
  }
  return changeUser(work.table, userId, lockOut, change =>
    work.commit({ ...change, actions: [...change.actions, { Delete: { Key: passwordKey(userId) } }] }),
  )
}

/** Removes the tokens, then account, profile, address and list entries at once. Idempotent. */
export function removeAccount(work: UnitOfWork, userId: number): Promise<void> {
  return retryOnConflict(async () => {
    const user = await findUser(work.table, userId)
    if (!user) return
    // A token that is created during this raises the revision, so that this starts again.
    while (await removeRevokedTokens(work.table, userId, Number.MAX_SAFE_INTEGER));
    const actions: Action[] = [
      {
        onConditionFailed: CONFLICT,
        Delete: { Key: userKey(userId), ...hasRevision(user.revision) },
      },
      ...[authorKey(userId), emailKey(foldedEmail(user.email)), passwordKey(userId)].map(Key => ({
        Delete: { Key },
      })),
    ]
    // Readers see the same as since the beginning of the erasure.
    await work.commit({ actions, lists: { before: listEntriesOf(user) } })
  })
}
