// Writes bodies. A body is its own item, byte for byte, with the version of the post that changed it last.
import type { Action } from '../../table/action.ts'
import { setMembers } from '../../table/change.ts'
import { bodyKey } from '../../table/design.ts'
import { claimText, membersOf, type PackedText, releaseText } from '../../table/large-text.ts'
import type { BodyItem } from '../store/bodies.ts'

/** Returns the actions that store `packed` as the body of the post and release the body `before`. */
export function replaceBody(
  id: number,
  version: number,
  packed: PackedText,
  before: BodyItem | undefined,
  nowMs: number,
): Action[] {
  return [
    { Update: { Key: bodyKey(id), ...setMembers({ id, version, ...membersOf(packed) }) } },
    ...claimText(packed),
    ...releaseText(before, nowMs),
  ]
}

export function deleteBody(item: BodyItem | undefined, id: number, nowMs: number): Action[] {
  return [{ Delete: { Key: bodyKey(id) } }, ...releaseText(item, nowMs)]
}
