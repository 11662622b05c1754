// Reads settings and menus. Settings are remembered for five seconds, because every request needs them.
import * as z from 'zod/mini'
import { notFound } from '../http/errors.ts'
import { PackedText, unpackText } from '../table/blob.ts'
import { perTable, type Table } from '../table/client.ts'
import { isRunning } from '../table/concurrency.ts'
import { MENUS_PARTITION, menuKey, settingsKey } from '../table/design.ts'
import { readConsistently } from '../table/retrying.ts'
import { Menu } from './menu.ts'
import { type Settings, StoredSettings, settingsFrom } from './settings.ts'

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

export const MenuRecord = z.extend(PackedText, { revision: z.int() })
export type MenuRecord = z.infer<typeof MenuRecord>

/** Undefined if the menu was replaced since its record was read. */
async function parseMenu(table: Table, record: MenuRecord): Promise<Menu | undefined> {
  const text = await unpackText(table, record)
  return text === undefined ? undefined : Menu.parse(JSON.parse(text))
}

export function listMenus(table: Table): Promise<Menu[]> {
  return readConsistently('A menu', table, async table => {
    const records = await table.query({ pk: MENUS_PARTITION }, MenuRecord)
    const menus = await Promise.all(records.map(record => parseMenu(table, record)))
    return menus.every(menu => menu !== undefined) ? menus : undefined
  })
}

export function getMenu(table: Table, location: string): Promise<Menu> {
  return readConsistently('The menu', table, async table => {
    const record = await table.find(menuKey(location), MenuRecord)
    if (!record) throw notFound('Menu')
    return await parseMenu(table, record)
  })
}
