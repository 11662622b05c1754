// Reads menus: one item for each location, its tree as text.
import * as z from 'zod/mini'
import { notFound } from '../../http/errors.ts'
import { PackedText, unpackText } from '../../table/blob.ts'
import type { Table } from '../../table/client.ts'
import { MENUS_PARTITION, menuKey } from '../../table/design.ts'
import { readConsistently } from '../../table/retrying.ts'
import { Menu } from '../menu.ts'

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
