// Changes settings, saves and deletes menus.
import { isDeepStrictEqual } from 'node:util'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import { commitPublicly, type PublicChange } from '../feed/commit.ts'
import { notFound } from '../http/errors.ts'
import { type Action, CONFLICT, isAsRead, setMembers } from '../table/action.ts'
import { claimText, membersOf, packText, releaseText } from '../table/blob.ts'
import type { Table } from '../table/client.ts'
import { menuKey, settingsKey } from '../table/design.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'
import type { Menu } from './menu.ts'
import {
  changedSettings,
  publicSettings,
  type Settings,
  type SettingsChange,
  settingsFrom,
} from './settings.ts'
import { forgetSettings, MenuRecord, SettingsRecord } from './store.ts'

/** Fails with CONFLICT if the settings were changed since they were read. */
export function settingsAction(values: SettingsChange, stored: SettingsRecord | undefined): Action {
  const members = { values, revision: (stored?.revision ?? 0) + 1 }
  return {
    onConditionFailed: CONFLICT,
    Update: { Key: settingsKey, ...setMembers(members, isAsRead(stored)) },
  }
}

/** Saves all members of the change and returns the settings after it. */
export function saveSettings(table: Table, change: SettingsChange, clock?: () => number): Promise<Settings> {
  return retryOnConflict(async () => {
    const stored = await table.find(settingsKey, SettingsRecord)
    const values = changedSettings(stored?.values ?? {}, change)
    const [before, after] = [settingsFrom(stored?.values ?? {}), settingsFrom(values)]
    const update = settingsAction(values, stored)
    // Functions remember all settings, and readers see some.
    const isSeen = !isDeepStrictEqual(publicSettings(before), publicSettings(after))
    const notes = isSeen ? [{ kind: 'settings' as const }] : []
    await commitPublicly(table, [update], { raised: 'names', notes }, clock)
    forgetSettings(table)
    return after
  })
}

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
