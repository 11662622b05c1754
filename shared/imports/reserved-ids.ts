// Reserves ids, so that imported records keep theirs and no other record gets one of them.
import * as z from 'zod/mini'
import { type Action, CONFLICT } from '../table/action.ts'
import { setMembers } from '../table/change.ts'
import type { Table } from '../table/client.ts'
import { isAsRead, isNew } from '../table/conditions.ts'
import { counterKey, importKey } from '../table/design.ts'
import type { Counter } from '../table/kinds.ts'
import { lastId } from '../table/next-id.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'

const Range = z.tuple([z.int(), z.int()])

/** What is remembered of a source. `reserved`: ranges of ids that no record had before, by counter. */
export const Import = z.object({
  reserved: z.record(z.string(), z.array(Range)),
  revision: z.int(),
})
export type Import = z.infer<typeof Import>

export function findImport(table: Table, source: string): Promise<Import | undefined> {
  return table.find(importKey(source), Import)
}

/** Whether the import may give a record this id. It may have done so already. */
export function isReserved({ reserved }: Import, counter: Counter, id: number): boolean {
  return (reserved[counter] ?? []).some(([from, to]) => from <= id && id <= to)
}

/**
 * Reserves the ids up to `last` that the counter has not given yet. An id that was given stays with its
 * record, even if that was deleted: what is left of it may still name the id.
 */
export function reserveIds(table: Table, source: string, counter: Counter, last: number): Promise<Import> {
  return retryOnConflict(async () => {
    const [stored, given] = await Promise.all([findImport(table, source), lastId(table, counter)])
    const before = stored ?? { reserved: {}, revision: 0 }
    if (given >= last) return before
    const ranges = [...(before.reserved[counter] ?? []), [given + 1, last] satisfies z.infer<typeof Range>]
    const after: Import = {
      ...before,
      reserved: { ...before.reserved, [counter]: ranges },
      revision: before.revision + 1,
    }
    const put: Action = {
      onConditionFailed: CONFLICT,
      Update: { Key: importKey(source), ...setMembers(after, isAsRead(stored)) },
    }
    await table.transact([raiseCounter(counter, given, last), put])
    return after
  })
}

function raiseCounter(counter: Counter, given: number, last: number): Action {
  const isAsGiven =
    given === 0
      ? isNew
      : {
          ConditionExpression: '#last = :given',
          ExpressionAttributeNames: { '#last': 'last' },
          ExpressionAttributeValues: { ':given': given },
        }
  return {
    onConditionFailed: CONFLICT,
    Update: { Key: counterKey(counter), ...setMembers({ last }, isAsGiven) },
  }
}
