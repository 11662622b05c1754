// Changes the profile of the caller, bans users, and erases accounts.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { scaled } from '../../http/audience.ts'
import { foldedEmail } from '../../http/email.ts'
import { type Fields, invalid, rateLimited } from '../../http/errors.ts'
import { type Reply, reply } from '../../http/reply.ts'
import { consume } from '../../limits/limiter.ts'
import { type Action, CONFLICT, hasRevision } from '../../table/action.ts'
import { authorKey, emailKey, passwordKey, userKey } from '../../table/design.ts'
import { nextId } from '../../table/next-id.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { AdminUser } from '../admin-contract.ts'
import type { ProfileChange } from '../fields.ts'
import { findUser } from '../store/users.ts'
import {
  adminUser,
  type Ban,
  banEvents,
  changedProfile,
  DELETED_USER,
  isBanned,
  listEntriesOf,
  type User,
  withBan,
  withoutBan,
} from '../user.ts'
import { removeRevokedTokens } from './tokens.ts'
import { changeUser, hasSameProfile } from './users.ts'

/** An hour, of name and picture, since copies follow them. */
const MAX_CHANGES = 10
const CHANGES = { scope: 'profile', windowMs: 3_600_000 }

/** `scale`: factor of the limit. Throws RATE_LIMITED. */
export function changeProfile(
  work: UnitOfWork,
  id: number,
  profile: ProfileChange,
  scale: number,
): Promise<User> {
  let counting: Promise<void> | undefined
  const rule = async (user: User): Promise<User> => {
    const changed = changedProfile(user, profile)
    if (!hasSameProfile(user, changed)) counting ??= countChange(work, id, scaled(MAX_CHANGES, scale))
    await counting
    return changed
  }
  return changeUser(work.table, id, rule, change => work.commit(change))
}

async function countChange({ table, nowMs }: UnitOfWork, id: number, most: number): Promise<void> {
  const { isAllowed, resetMs } = await consume(table, { ...CHANGES, client: String(id), max: most }, nowMs)
  if (isAllowed) return
  const message = `Name and picture change at most ${most} times an hour. Try again later.`
  throw rateLimited(message, resetMs - nowMs)
}

/** Throws NOT_FOUND, or VALIDATION_ERROR for the actor's own id or an end in the past. */
export async function banUser(
  work: UnitOfWork,
  id: number,
  ban: Ban,
  actorId: number,
): Promise<Reply<AdminUser>> {
  const faults: Fields = {
    ...(id === actorId && { id: ['Must not be your own id: you cannot ban yourself.'] }),
    ...(ban.until !== null && ban.until <= work.nowSeconds && { until: ['Must be in the future.'] }),
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return await changeBan(work, id, user => withBan(user, ban))
}

/** Changes nothing for a user who is not banned. Throws NOT_FOUND. */
export function unbanUser(work: UnitOfWork, id: number): Promise<Reply<AdminUser>> {
  return changeBan(work, id, user => withoutBan(user, work.nowMs))
}

/** Throws NOT_FOUND. */
async function changeBan(
  work: UnitOfWork,
  id: number,
  rule: (user: User) => User,
): Promise<Reply<AdminUser>> {
  const answer = (user: User) => reply(adminUser(user, work.nowSeconds))
  const changed = await changeUser(work.table, id, rule, async (change, after, before) => {
    const context = { nowSeconds: work.nowSeconds, siteUrl: await work.siteUrl() }
    await work.commit({ ...change, events: banEvents(before, after, context) }, answer(after))
  })
  return answer(changed)
}

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
