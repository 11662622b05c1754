// Reads the settings: one item, cached for up to five seconds because every request needs it.
import * as z from 'zod/mini'
import { perTable, type Table } from '../../table/client.ts'
import { isRunning } from '../../table/concurrency.ts'
import { settingsKey } from '../../table/design.ts'
import { type Settings, StoredSettings, settingsFrom } from '../settings.ts'

export const SettingsRecord = z.object({ values: StoredSettings, revision: z.int() })
export type SettingsRecord = z.infer<typeof SettingsRecord>

/** After this time every function has read a change. */
const SETTINGS_CACHE_MS = 5_000
/** A read that hangs for longer is not shared with further requests. */
const SHARED_MS = 1_000

type Cache = {
  latest?: { settings: Settings; sinceMs: number } | undefined
  /** The running read, which is shared by the requests of the next second. */
  reading?: { settings: Promise<Settings>; sinceMs: number } | undefined
}
const cacheOf = perTable((): Cache => ({}))

/** The settings that were read last, or undefined before the first read. */
export function lastSettings(table: Table): Settings | undefined {
  return cacheOf(table).latest?.settings
}

/** Makes the next request read the settings again. */
export function forgetSettings(table: Table): void {
  const cache = cacheOf(table)
  cache.latest = undefined
  cache.reading = undefined
}

/** Reads the current settings. */
export async function readSettings(table: Table): Promise<Settings> {
  return settingsFrom((await table.find(settingsKey, SettingsRecord))?.values ?? {})
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
  const cache = cacheOf(table)
  if (cache.latest && isRunning(cache.latest.sinceMs, SETTINGS_CACHE_MS, nowMs)) return cache.latest.settings
  try {
    return await readOnce(table, read, nowMs)
  } catch (error) {
    // Old settings are better than none: a site in maintenance stays closed while the table does not answer.
    if (cache.latest) return cache.latest.settings
    throw error
  }
}

function readOnce(table: Table, read: () => Promise<Settings>, nowMs: number): Promise<Settings> {
  const cache = cacheOf(table)
  if (cache.reading && nowMs - cache.reading.sinceMs < SHARED_MS) return cache.reading.settings
  const settings = read()
    .then(current => {
      rememberSettings(table, current, nowMs)
      return current
    })
    .finally(() => {
      if (cache.reading?.settings === settings) cache.reading = undefined
    })
  cache.reading = { settings, sinceMs: nowMs }
  return settings
}
