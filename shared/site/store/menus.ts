// How menus are kept: one item a location, its tree as text.

import * as z from 'zod/mini'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { notFound } from '../../http/errors.ts'
import { type Action, CONFLICT, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { isAsRead } from '../../table/conditions.ts'
import { MENUS_BEGIN, MENUS_PARTITION, menuKey, menusSizeKey } from '../../table/design.ts'
import { claimText, Packed, packText, releaseText, unpackText } from '../../table/large-text.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { answerBytes, Menu, MOST_MENU_BYTES, tooManyMenus } from '../menu.ts'

const FULL = 'full'

const MenuRecord = z.extend(Packed, {
  revision: z.int(),
  /** What it takes of the answer that has all menus. */
  answer_bytes: z._default(z.int(), 0),
})
type MenuRecord = z.infer<typeof MenuRecord>

async function read(table: Table, record: MenuRecord): Promise<Menu> {
  const text = await unpackText(table, record)
  if (text === undefined) throw new Error('A menu was replaced while it was read: ask again.')
  return Menu.parse(JSON.parse(text))
}

export async function listMenus(table: Table): Promise<Menu[]> {
  const records = await table.query({ pk: MENUS_PARTITION, from: MENUS_BEGIN }, MenuRecord)
  return await Promise.all(records.map(record => read(table, record)))
}

export async function getMenu(table: Table, location: string): Promise<Menu> {
  const record = await table.find(menuKey(location), MenuRecord)
  if (!record) throw notFound('Menu')
  return await read(table, record)
}

/** In place of the one that is there, if any. Throws VALIDATION_ERROR when all together are too large. */
export async function saveMenu(work: UnitOfWork, menu: Menu): Promise<void> {
  const answer_bytes = answerBytes(menu)
  const packed = await packText(work.table, JSON.stringify(menu), work.nowMs)
  await retryOnConflict(async () => {
    const before = await work.table.find(menuKey(menu.location), MenuRecord)
    const revision = (before?.revision ?? 0) + 1
    const Item = { ...menuKey(menu.location), ...packed, revision, answer_bytes }
    const put: Action = { onConditionFailed: CONFLICT, Put: { Item, ...unchanged(before) } }
    const larger = grown(answer_bytes - (before?.answer_bytes ?? 0))
    const actions = [put, larger, ...claimText(packed), ...releaseText(before, work.nowMs)]
    await work.commit({ actions }).catch(error => {
      const isFull = error instanceof ConditionFailed && error.reasons.every(reason => reason === FULL)
      throw isFull ? tooManyMenus() : error
    })
  })
}

export function removeMenu(work: UnitOfWork, location: string): Promise<void> {
  return retryOnConflict(async () => {
    const before = await work.table.find(menuKey(location), MenuRecord)
    if (!before) throw notFound('Menu')
    const remove: Action = {
      onConditionFailed: CONFLICT,
      Delete: { Key: menuKey(location), ...unchanged(before) },
    }
    await work.commit({ actions: [remove, grown(-before.answer_bytes), ...releaseText(before, work.nowMs)] })
  })
}

/** All menus together, by so many bytes more: that many must be left, and less is always taken. */
function grown(bytes: number): Action {
  return {
    onConditionFailed: FULL,
    Update: {
      Key: menusSizeKey,
      UpdateExpression: 'ADD answer_bytes :bytes',
      ...(bytes > 0 && { ConditionExpression: 'attribute_not_exists(pk) OR answer_bytes <= :room' }),
      ExpressionAttributeValues: { ':bytes': bytes, ...(bytes > 0 && { ':room': MOST_MENU_BYTES - bytes }) },
    },
  }
}

function unchanged(before: MenuRecord | undefined) {
  return isAsRead(before)
}
