// How settings are kept: one item, in memory for up to five seconds, since every request asks.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { settingsKey } from '../../table/design.ts'
import { type Settings, SettingsKept, settingsFrom } from '../settings.ts'

export const Stored = z.object({ values: SettingsKept, revision: z.int() })

const KEPT_MS = 5_000
let kept: { settings: Settings; untilMs: number } | undefined
/** The one read that is under way, which all who ask in the next second share: a longer one may hang. */
const SHARED_MS = 1_000
let reading: { table: Table; settings: Promise<Settings>; sinceMs: number } | undefined

/** As they were when the table last answered. */
export function lastSettings(): Settings | undefined {
  return kept?.settings
}

/** The next request reads them again. */
export function forgetSettings(): void {
  kept = undefined
  reading = undefined
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
