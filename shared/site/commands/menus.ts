// Saves and deletes menus.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import type { PublicChange } from '../../feed/commit.ts'
import { notFound } from '../../http/errors.ts'
import { type Action, CONFLICT, isAsRead, setMembers } from '../../table/action.ts'
import { claimText, membersOf, type PackedText, packText, releaseText } from '../../table/blob.ts'
import { menuKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { Menu } from '../menu.ts'
import { MenuRecord } from '../store/menus.ts'

/** Replaces the menu at the location, if any. */
export async function saveMenu(work: UnitOfWork, menu: Menu): Promise<void> {
  const packed = await packText(work.table, JSON.stringify(menu), work.nowMs)
  await retryOnConflict(async () => {
    const before = await work.table.find(menuKey(menu.location), MenuRecord)
    const actions = menuActions(menu, packed, before, work.nowMs)
    await work.commit({ actions, public: changedMenu(menu.location) })
  })
}

/** Fails with CONFLICT if the menu was changed since it was read. */
export function menuActions(
  menu: Menu,
  packed: PackedText,
  before: MenuRecord | undefined,
  nowMs: number,
): Action[] {
  const revision = (before?.revision ?? 0) + 1
  const members = setMembers({ ...membersOf(packed), revision }, isAsRead(before))
  return [
    { onConditionFailed: CONFLICT, Update: { Key: menuKey(menu.location), ...members } },
    ...claimText(packed),
    ...releaseText(before, nowMs),
  ]
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

export function changedMenu(location: string): PublicChange {
  return { raised: 'names', notes: [{ kind: 'menu', location }] }
}
