// How menus are kept: one item a location, its tree as text.
import { z } from 'zod'
import { notFound } from '../http/errors.ts'
import type { Work } from '../lambda/work.ts'
import { type Action, STALE } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { deciding } from '../table/deciding.ts'
import { menuKey, menusPartition } from '../table/design.ts'
import { claimText, Packed, packText, releaseText, unpackText } from '../table/large-text.ts'
import { Menu } from './menu.ts'

const MenuRecord = Packed.extend({ revision: z.int() })
type MenuRecord = z.infer<typeof MenuRecord>

const read = async (table: Table, record: MenuRecord): Promise<Menu> => {
  const text = await unpackText(table, record)
  if (text === undefined) throw new Error('A menu was replaced while it was read: ask again.')
  return Menu.parse(JSON.parse(text))
}

export const listMenus = async (table: Table): Promise<Menu[]> => {
  const records = await table.query({ pk: menusPartition }, MenuRecord)
  return await Promise.all(records.map(record => read(table, record)))
}

export const getMenu = async (table: Table, location: string): Promise<Menu> => {
  const record = await table.find(menuKey(location), MenuRecord)
  if (!record) throw notFound('Menu')
  return await read(table, record)
}

/** In place of the one that is there, if any. */
export const saveMenu = async (work: Work, menu: Menu): Promise<void> => {
  const packed = await packText(work.table, JSON.stringify(menu), work.nowMs)
  await deciding(async () => {
    const before = await work.table.find(menuKey(menu.location), MenuRecord)
    const Item = { ...menuKey(menu.location), ...packed, revision: (before?.revision ?? 0) + 1 }
    const put: Action = { refused: STALE, Put: { Item, ...unchanged(before) } }
    await work.commit({ actions: [put, ...claimText(packed), ...releaseText(before, work.nowMs)] })
  })
}

export const removeMenu = (work: Work, location: string): Promise<void> =>
  deciding(async () => {
    const before = await work.table.find(menuKey(location), MenuRecord)
    if (!before) throw notFound('Menu')
    const remove: Action = { refused: STALE, Delete: { Key: menuKey(location), ...unchanged(before) } }
    await work.commit({ actions: [remove, ...releaseText(before, work.nowMs)] })
  })

const unchanged = (before: MenuRecord | undefined) =>
  before
    ? { ConditionExpression: 'revision = :r', ExpressionAttributeValues: { ':r': before.revision } }
    : { ConditionExpression: 'attribute_not_exists(pk)' }
