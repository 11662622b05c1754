// Deletes the comments on a deleted post, or the replies to a deleted comment, in steps.
import type { StepMessage } from '../../events/message.ts'
import { clearList } from '../../lists/clear-list.ts'
import { writeWithLists } from '../../lists/counted-list.ts'
import type { Table } from '../../table/client.ts'
import { slices } from '../../table/concurrency.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { listEntriesOf, publicList } from '../lists.ts'
import { listStatesBelow } from '../store/comments.ts'
import { removeComment } from './write.ts'

type Message = Extract<StepMessage, { kind: 'comments' }>

/** A transaction has 100 actions: for each comment 2 records, 4 entries and up to 8 counts, some shared. */
const COMMENTS_AT_ONCE = 7

/**
 * Returns true when there may be more. Each step starts from the beginning, and only one that finds nothing
 * is the last, so that a reply written while its parent was being deleted is deleted too. Idempotent.
 */
export function cleanUpComments(table: Table, { post_id, path }: Message): Promise<boolean> {
  return retryOnConflict(async () => {
    const states = await listStatesBelow(table, post_id, path)
    for (const some of slices(states, COMMENTS_AT_ONCE)) {
      await writeWithLists(table, { before: some.flatMap(listEntriesOf) }, listActions =>
        table.transact([...some.flatMap(removeComment), ...listActions]),
      )
    }
    if (states.length > 0) return true
    return path.length === 0 && (await clearList(table, publicList(post_id).name))
  })
}
