// Saves and deletes menus.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import type { PublicChange } from '../../feed/commit.ts'
import { notFound } from '../../http/errors.ts'
import { type Action, CONFLICT, ConditionFailed, isAsRead, setMembers } from '../../table/action.ts'
import { claimText, membersOf, type PackedText, packText, releaseText } from '../../table/blob.ts'
import { menuKey, menusSizeKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { answerBytes, MAX_MENU_BYTES, type Menu, tooManyMenus } from '../menu.ts'
import { MenuRecord } from '../store/menus.ts'

const FULL = 'full'

/** Replaces the menu at the location, if any. Throws VALIDATION_ERROR if all menus together are too large. */
export async function saveMenu(work: UnitOfWork, menu: Menu): Promise<void> {
  const packed = await packText(work.table, JSON.stringify(menu), work.nowMs)
  await retryOnConflict(async () => {
    const before = await work.table.find(menuKey(menu.location), MenuRecord)
    const actions = menuActions(menu, packed, before, work.nowMs)
    await work.commit({ actions, public: changedMenu(menu.location) }).catch(error => {
      const isFull = error instanceof ConditionFailed && error.reasons.every(reason => reason === FULL)
      throw isFull ? tooManyMenus() : error
    })
  })
}

/** Fails with CONFLICT if the menu was changed since it was read, or with FULL. */
function menuActions(
  menu: Menu,
  packed: PackedText,
  before: MenuRecord | undefined,
  nowMs: number,
): Action[] {
  const answer_bytes = answerBytes(menu)
  const revision = (before?.revision ?? 0) + 1
  const members = setMembers({ ...membersOf(packed), revision, answer_bytes }, isAsRead(before))
  return [
    { onConditionFailed: CONFLICT, Update: { Key: menuKey(menu.location), ...members } },
    addToTotalSize(answer_bytes - (before?.answer_bytes ?? 0)),
    ...claimText(packed),
    ...releaseText(before, nowMs),
  ]
}

export function removeMenu(work: UnitOfWork, location: string): Promise<void> {
  return retryOnConflict(async () => {
    const before = await work.table.find(menuKey(location), MenuRecord)
    if (!before) throw notFound('Menu')
    const remove: Action = {
      onConditionFailed: CONFLICT,
      Delete: { Key: menuKey(location), ...isAsRead(before) },
    }
    await work.commit({
      actions: [remove, addToTotalSize(-before.answer_bytes), ...releaseText(before, work.nowMs)],
      public: changedMenu(location),
    })
  })
}

function changedMenu(location: string): PublicChange {
  return { raised: 'names', notes: [{ kind: 'menu', location }] }
}

/** Adds to the size of all menus. An increase fails when they would exceed their maximum. */
function addToTotalSize(bytes: number): Action {
  return {
    onConditionFailed: FULL,
    Update: {
      Key: menusSizeKey,
      UpdateExpression: 'ADD answer_bytes :bytes',
      ...(bytes > 0 && { ConditionExpression: 'attribute_not_exists(pk) OR answer_bytes <= :room' }),
      ExpressionAttributeValues: { ':bytes': bytes, ...(bytes > 0 && { ':room': MAX_MENU_BYTES - bytes }) },
    },
  }
}
