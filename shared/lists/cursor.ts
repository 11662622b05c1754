// Cursors: a position in a list as an opaque text that only the same endpoint with the same filters accepts.
import type * as z from 'zod/mini'
import { currentKey, FIRST_KEY_ID, findKey, requireKey } from '../aws/secret-value.ts'
import { invalid } from '../http/errors.ts'
import { LONGEST_CURSOR, NO_CURSOR } from '../http/parameters.ts'
import { openBytes, sealBytesEqually } from '../table/sealed.ts'

/** What a cursor is bound to: the secret of client keys, and a text of endpoint and filters. */
export type CursorPlace = { key: string; place: string }

export function cursorPlace(
  key: string,
  { method, path }: { method: string; path: string },
  params: unknown = {},
  filters: unknown = {},
): CursorPlace {
  return { key, place: JSON.stringify([method, path, params, filters]) }
}

const USE = 'cursor'

/** `position`: any JSON. Equal positions give equal cursors, so that an answer with one keeps its ETag. */
export function sealCursor(position: unknown, { key, place }: CursorPlace): string {
  const plain = Buffer.from(JSON.stringify(position))
  const { id, key: current } = currentKey(key)
  const sealed = Buffer.from(sealBytesEqually(plain, { key: current, use: USE, place })).toString('base64url')
  const cursor = id === FIRST_KEY_ID ? sealed : `${id}.${sealed}`
  if (cursor.length > LONGEST_CURSOR) throw new Error(`A cursor has ${cursor.length} characters.`)
  return cursor
}

/** Throws VALIDATION_ERROR on `parameter` if it is broken or of another place, or UnknownKey. */
export function openCursor<Position>(
  cursor: string,
  at: CursorPlace & { parameter: string; schema: z.ZodMiniType<Position> },
): Position {
  const fault = invalid({ [at.parameter]: [NO_CURSOR] })
  const [, id = FIRST_KEY_ID, text = ''] = CURSOR.exec(cursor) ?? []
  requireKey(at.key, Number(id), fault)
  const key = findKey(at.key, Number(id))
  const opened = at.schema.safeParse(key && positionIn(text, { key, place: at.place }))
  if (!opened.success) throw fault
  return opened.data
}

const CURSOR = /^(?:([1-9]\d{0,5})\.)?([\w-]*)$/

/** Undefined, which is no JSON, if the cursor cannot be opened. */
function positionIn(cursor: string, { key, place }: CursorPlace): unknown {
  const sealed = Buffer.from(cursor, 'base64url')
  if (cursor.length > LONGEST_CURSOR || sealed.toString('base64url') !== cursor) return undefined
  try {
    const plain = openBytes(sealed, { key, use: USE, place })
    return JSON.parse(Buffer.from(plain).toString('utf8'))
  } catch {
    return undefined
  }
}
