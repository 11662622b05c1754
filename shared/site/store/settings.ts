// How settings are kept: one item, in memory for up to five seconds, since every request asks.

import * as z from 'zod/mini'
import { CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { isAsRead } from '../../table/conditions.ts'
import { settingsKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import {
  changedSettings,
  type Settings,
  type SettingsChange,
  SettingsKept,
  settingsFrom,
} from '../settings.ts'

const Stored = z.object({ values: SettingsKept, revision: z.int() })

const KEPT_MS = 5_000
let kept: { settings: Settings; untilMs: number } | undefined
/** The one read that is under way, which all who ask in the next second share: a longer one may hang. */
const SHARED_MS = 1_000
let reading: { table: Table; settings: Promise<Settings>; sinceMs: number } | undefined

/** As they were when the table last answered. */
export function lastSettings(): Settings | undefined {
  return kept?.settings
}

/** As they are now. */
export async function readSettings(table: Table): Promise<Settings> {
  return settingsFrom((await table.find(settingsKey, Stored))?.values ?? {})
}

/** As they were at most five seconds ago, or when the table last answered. */
export async function currentSettings(table: Table, nowMs: number): Promise<Settings> {
  if (kept && kept.untilMs > nowMs) return kept.settings
  try {
    return await readOnce(table, nowMs)
  } catch (error) {
    // Old ones are better than none: a site in maintenance stays closed while the table is silent.
    if (kept) return kept.settings
    throw error
  }
}

function readOnce(table: Table, nowMs: number): Promise<Settings> {
  if (reading?.table === table && nowMs - reading.sinceMs < SHARED_MS) return reading.settings
  const settings = readSettings(table)
    .then(read => {
      kept = { settings: read, untilMs: nowMs + KEPT_MS }
      return read
    })
    .finally(() => {
      if (reading?.settings === settings) reading = undefined
    })
  reading = { table, settings, sinceMs: nowMs }
  return settings
}

/** All members of the change or none; the settings after it. */
export function saveSettings(table: Table, change: SettingsChange): Promise<Settings> {
  return retryOnConflict(async () => {
    const stored = await table.find(settingsKey, Stored)
    const values = changedSettings(stored?.values ?? {}, change)
    await table.write({
      onConditionFailed: CONFLICT,
      Put: {
        Item: { ...settingsKey, values, revision: (stored?.revision ?? 0) + 1 },
        ...isAsRead(stored),
      },
    })
    kept = undefined
    reading = undefined
    return settingsFrom(values)
  })
}
