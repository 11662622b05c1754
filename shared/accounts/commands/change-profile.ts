// Changes the profile of the caller: the name and the picture a few times an hour, since copies follow them.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { ApiError } from '../../http/errors.ts'
import { consume } from '../../limits/limiter.ts'
import type { ProfileChange } from '../fields.ts'
import { changedProfile, type User } from '../user.ts'
import { changeUser, hasSameProfile } from './users.ts'

const MAX_CHANGES = 10
const CHANGES = { scope: 'profile', kind: 'window', windowMs: 3_600_000 } as const

/** `scale`: factor of the limit. Throws RATE_LIMITED. */
export function changeProfile(
  work: UnitOfWork,
  id: number,
  profile: ProfileChange,
  scale: number,
): Promise<User> {
  let isCounted = false
  const rule = async (user: User): Promise<User> => {
    const changed = changedProfile(user, profile)
    if (isCounted || hasSameProfile(user, changed)) return changed
    await countChange(work, id, Math.max(1, Math.floor(MAX_CHANGES * scale)))
    isCounted = true
    return changed
  }
  return changeUser(work.table, id, rule, change => work.commit(change))
}

async function countChange({ table, nowMs }: UnitOfWork, id: number, most: number): Promise<void> {
  const { isAllowed, resetMs } = await consume(table, CHANGES, String(id), most, nowMs)
  if (isAllowed) return
  throw new ApiError(
    'RATE_LIMITED',
    `Name and picture change at most ${most} times an hour. Try again later.`,
    { retryAfterSeconds: Math.max(1, Math.ceil((resetMs - nowMs) / 1000)) },
  )
}
