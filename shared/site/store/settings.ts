// Reads the settings: one item, cached for up to five seconds because every request needs it.
import * as z from 'zod/mini'
import { perTable, type Table } from '../../table/client.ts'
import { isRunning } from '../../table/concurrency.ts'
import { settingsKey } from '../../table/design.ts'
import { type Settings, StoredSettings, settingsFrom } from '../settings.ts'

export const SettingsRecord = z.object({ values: StoredSettings, revision: z.int() })
export type SettingsRecord = z.infer<typeof SettingsRecord>

/** With the schema, so that settings that are remembered are parsed once. */
const CurrentSettings = z.pipe(
  SettingsRecord,
  z.transform(({ values }) => settingsFrom(values)),
)

/** After this time every function has read a change. */
const SETTINGS_CACHE_MS = 5_000

/** What was read last, by table. */
const cacheOf = perTable((): { latest?: { settings: Settings; sinceMs: number } | undefined } => ({}))

/** Makes the next request read the settings again. */
export function forgetSettings(table: Table): void {
  cacheOf(table).latest = undefined
}

/** Reads the settings from the table, past what is remembered. */
export async function readSettings(table: Table): Promise<Settings> {
  return (await table.find(settingsKey, CurrentSettings)) ?? settingsFrom({})
}

/** Requests of the next five seconds get these settings. */
export function rememberSettings(table: Table, settings: Settings, nowMs: number): void {
  cacheOf(table).latest = { settings, sinceMs: nowMs }
}

/**
 * Returns settings that are at most five seconds old, or older ones if the table does not answer. `read` may
 * take them from what is remembered of public content.
 */
export async function currentSettings(
  table: Table,
  nowMs: number,
  read = () => readSettings(table),
): Promise<Settings> {
  const { latest } = cacheOf(table)
  if (latest && isRunning(latest.sinceMs, SETTINGS_CACHE_MS, nowMs)) return latest.settings
  try {
    const settings = await read()
    rememberSettings(table, settings, nowMs)
    return settings
  } catch (error) {
    // Old settings are better than none: a site in maintenance stays closed while the table does not answer.
    if (latest) return latest.settings
    throw error
  }
}
