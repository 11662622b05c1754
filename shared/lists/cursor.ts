// Cursors: a position in a list as an opaque text that only the same endpoint with the same filters accepts.
import type * as z from 'zod/mini'
import { invalid } from '../http/errors.ts'
import { LONGEST_CURSOR, NO_CURSOR } from '../http/list-query.ts'
import { openBytes, sealBytesEqually } from '../table/sealed.ts'

/** What a cursor is bound to: the client key of the environment, and a text of endpoint and filters. */
export type CursorPlace = { key: string; place: string }

const USE = 'cursor'

/** `position`: any JSON. Equal positions give equal cursors, so that an answer with one keeps its ETag. */
export function sealCursor(position: unknown, { key, place }: CursorPlace): string {
  const plain = Buffer.from(JSON.stringify(position))
  const cursor = Buffer.from(sealBytesEqually(plain, { key, use: USE, place })).toString('base64url')
  if (cursor.length > LONGEST_CURSOR) throw new Error(`A cursor has ${cursor.length} characters.`)
  return cursor
}

/** Throws VALIDATION_ERROR on `parameter` if it is broken or of another place. */
export function openCursor<Position>(
  cursor: string,
  at: CursorPlace & { parameter: string; schema: z.ZodMiniType<Position> },
): Position {
  const opened = at.schema.safeParse(positionIn(cursor, at))
  if (!opened.success) throw invalid({ [at.parameter]: [NO_CURSOR] })
  return opened.data
}

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
