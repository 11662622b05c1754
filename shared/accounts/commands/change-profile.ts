// Changes the profile of the caller.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import type { ProfileChange } from '../fields.ts'
import { changedProfile, type User } from '../user.ts'
import { changeUser } from './users.ts'

export function changeProfile(work: UnitOfWork, id: number, profile: ProfileChange): Promise<User> {
  const rule = (user: User) => changedProfile(user, profile)
  return changeUser(work.table, id, rule, change => work.commit(change))
}
