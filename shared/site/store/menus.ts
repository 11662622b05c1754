// Reads menus: one item for each location, its tree as text.
import * as z from 'zod/mini'
import { notFound } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import { MENUS_BEGIN, MENUS_PARTITION, menuKey } from '../../table/design.ts'
import { Packed, unpackText } from '../../table/large-text.ts'
import { Menu } from '../menu.ts'

export const MenuRecord = z.extend(Packed, {
  revision: z.int(),
  /** The size of this menu in the answer with all menus. */
  answer_bytes: z._default(z.int(), 0),
})
export type MenuRecord = z.infer<typeof MenuRecord>

async function parseMenu(table: Table, record: MenuRecord): Promise<Menu> {
  const text = await unpackText(table, record)
  if (text === undefined) throw new Error('A menu was replaced while it was read: ask again.')
  return Menu.parse(JSON.parse(text))
}

export async function listMenus(table: Table): Promise<Menu[]> {
  const records = await table.query({ pk: MENUS_PARTITION, from: MENUS_BEGIN }, MenuRecord)
  return await Promise.all(records.map(record => parseMenu(table, record)))
}

export async function getMenu(table: Table, location: string): Promise<Menu> {
  const record = await table.find(menuKey(location), MenuRecord)
  if (!record) throw notFound('Menu')
  return await parseMenu(table, record)
}
