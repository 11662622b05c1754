// Saves and deletes menus.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import type { PublicChange } from '../../feed/commit.ts'
import { notFound } from '../../http/errors.ts'
import { type Action, CONFLICT, isAsRead, setMembers } from '../../table/action.ts'
import { claimText, membersOf, packText, releaseText } from '../../table/blob.ts'
import { menuKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { Menu } from '../menu.ts'
import { MenuRecord } from '../store/menus.ts'

/** Replaces the menu at the location, if any. */
export async function saveMenu(work: UnitOfWork, menu: Menu): Promise<void> {
  const { location } = menu
  const packed = await packText(work.table, JSON.stringify(menu), work.nowMs)
  await retryOnConflict(async () => {
    const before = await work.table.find(menuKey(location), MenuRecord)
    const revision = (before?.revision ?? 0) + 1
    const members = setMembers({ ...membersOf(packed), revision }, isAsRead(before))
    const put: Action = { onConditionFailed: CONFLICT, Update: { Key: menuKey(location), ...members } }
    const actions = [put, ...claimText(packed), ...releaseText(before, work.nowMs)]
    await work.commit({ actions, public: changedMenu(location) })
  })
}

export function removeMenu(work: UnitOfWork, location: string): Promise<void> {
  return retryOnConflict(async () => {
    const before = await work.table.find(menuKey(location), MenuRecord)
    if (!before) throw notFound('Menu')
    const remove: Action = {
      onConditionFailed: CONFLICT,
      Delete: { Key: menuKey(location), ...isAsRead(before) },
    }
    await work.commit({
      actions: [remove, ...releaseText(before, work.nowMs)],
      public: changedMenu(location),
    })
  })
}

function changedMenu(location: string): PublicChange {
  return { raised: 'names', notes: [{ kind: 'menu', location }] }
}
