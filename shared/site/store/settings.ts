// Reads the settings: one item, kept in memory for up to five seconds because every request needs it.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { settingsKey } from '../../table/design.ts'
import { perTable } from '../../table/per-table.ts'
import { type Settings, SettingsKept, settingsFrom } from '../settings.ts'

export const SettingsRecord = z.object({ values: SettingsKept, revision: z.int() })

const KEPT_MS = 5_000
/** A read that hangs for longer is not shared with further requests. */
const SHARED_MS = 1_000

type Cache = {
  kept?: { settings: Settings; untilMs: number } | undefined
  /** The read that is under way: requests of the next second wait for it as well. */
  reading?: { settings: Promise<Settings>; sinceMs: number } | undefined
}
const cacheOf = perTable((): Cache => ({}))

/** As they were when the table last answered. */
export function lastSettings(table: Table): Settings | undefined {
  return cacheOf(table).kept?.settings
}

/** The next request reads them again. */
export function forgetSettings(table: Table): void {
  const cache = cacheOf(table)
  cache.kept = undefined
  cache.reading = undefined
}

/** As they are now. */
export async function readSettings(table: Table): Promise<Settings> {
  return settingsFrom((await table.find(settingsKey, SettingsRecord))?.values ?? {})
}

/** As they were at most five seconds ago, or when the table last answered. */
export async function currentSettings(table: Table, nowMs: number): Promise<Settings> {
  const cache = cacheOf(table)
  if (cache.kept && cache.kept.untilMs > nowMs) return cache.kept.settings
  try {
    return await readOnce(table, cache, nowMs)
  } catch (error) {
    // Old settings are better than none: a site in maintenance stays closed while the table does not answer.
    if (cache.kept) return cache.kept.settings
    throw error
  }
}

function readOnce(table: Table, cache: Cache, nowMs: number): Promise<Settings> {
  if (cache.reading && nowMs - cache.reading.sinceMs < SHARED_MS) return cache.reading.settings
  const settings = readSettings(table)
    .then(read => {
      cache.kept = { settings: read, untilMs: nowMs + KEPT_MS }
      return read
    })
    .finally(() => {
      if (cache.reading?.settings === settings) cache.reading = undefined
    })
  cache.reading = { settings, sinceMs: nowMs }
  return settings
}
