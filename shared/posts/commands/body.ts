// Bodies: byte for byte what came in, apart from the record, with the version in which they last changed.
import type { Action } from '../../table/action.ts'
import { bodyKey } from '../../table/design.ts'
import { claimText, type Packed, releaseText } from '../../table/large-text.ts'
import type { BodyItem } from '../store/bodies.ts'

/** The actions that make `packed` the body of the post, in place of `before`. */
export function replaceBody(
  id: number,
  version: number,
  packed: Packed,
  before: BodyItem | undefined,
  nowMs: number,
): Action[] {
  return [
    { Put: { Item: { ...bodyKey(id), id, version, ...packed } } },
    ...claimText(packed),
    ...releaseText(before, nowMs),
  ]
}

export function deleteBody(item: BodyItem | undefined, id: number, nowMs: number): Action[] {
  return [{ Delete: { Key: bodyKey(id) } }, ...releaseText(item, nowMs)]
}
