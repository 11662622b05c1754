// Bodies: byte for byte what came in, apart from the record, with the version in which they last changed.
import * as z from 'zod/mini'
import type { Action } from '../../table/action.ts'
import { bodyKey } from '../../table/design.ts'
import { claimText, Packed, releaseText } from '../../table/large-text.ts'

export const BodyItem = z.extend(Packed, { id: z.int(), version: z.int() })
export type BodyItem = z.infer<typeof BodyItem>

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
