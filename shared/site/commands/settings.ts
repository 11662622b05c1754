// Changes settings.
import { isDeepStrictEqual } from 'node:util'
import { commitPublicly } from '../../feed/commit.ts'
import { type Action, CONFLICT, isAsRead, setMembers } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { settingsKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import {
  changedSettings,
  publicSettings,
  type Settings,
  type SettingsChange,
  settingsFrom,
} from '../settings.ts'
import { forgetSettings, SettingsRecord } from '../store/settings.ts'

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
