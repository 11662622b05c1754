// Changes settings.
import { raiseNames } from '../../cache/generation.ts'
import { CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { isAsRead } from '../../table/conditions.ts'
import { settingsKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { changedSettings, type Settings, type SettingsChange, settingsFrom } from '../settings.ts'
import { forgetSettings, SettingsRecord } from '../store/settings.ts'

/** Saves all members of the change and returns the settings after it. */
export function saveSettings(table: Table, change: SettingsChange): Promise<Settings> {
  return retryOnConflict(async () => {
    const stored = await table.find(settingsKey, SettingsRecord)
    const values = changedSettings(stored?.values ?? {}, change)
    const Item = { ...settingsKey, values, revision: (stored?.revision ?? 0) + 1 }
    await table.transact([
      { onConditionFailed: CONFLICT, Put: { Item, ...isAsRead(stored) } },
      ...raiseNames(),
    ])
    forgetSettings(table)
    return settingsFrom(values)
  })
}
