// Cursors: a position in a list as an opaque text that only the same endpoint with the same filters accepts.
import type * as z from 'zod/mini'
import { invalid } from '../http/errors.ts'
import { LONGEST_CURSOR, NO_CURSOR } from '../http/parameters.ts'
import { openText, sealText } from '../table/sealed.ts'

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
export function sealCursor(position: unknown, { key: secret, place }: CursorPlace): string {
  const cursor = sealText(position, { secret, use: USE, place }, true)
  if (cursor.length > LONGEST_CURSOR) throw new Error(`A cursor has ${cursor.length} characters.`)
  return cursor
}

/** Throws VALIDATION_ERROR on `parameter` if it is broken or of another place. */
export function openCursor<Position>(
  cursor: string,
  {
    key: secret,
    place,
    parameter,
    schema,
  }: CursorPlace & { parameter: string; schema: z.ZodMiniType<Position> },
): Position {
  const fault = invalid({ [parameter]: [NO_CURSOR] })
  if (cursor.length > LONGEST_CURSOR) throw fault
  const opened = schema.safeParse(openText(cursor, { secret, use: USE, place }))
  if (!opened.success) throw fault
  return opened.data
}
