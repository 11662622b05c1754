// Reads the recounts of threads that are under way.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { RECOUNT_PARTITION, recountKey } from '../../table/design.ts'

/** What is gone though it still stands in lists: nothing, the comments below a deleted one, all of the post's. */
export const DeletedPart = z.enum(['nothing', 'orphans', 'all'])

export type DeletedPart = z.infer<typeof DeletedPart>

export const ThreadRecount = z.object({
  post_id: z.int(),
  gone: DeletedPart,
  /** Of the last change that moved anything: steps for an older one are not taken any more. */
  stamp: z.string(),
  /** Raised by every step, so that readers notice one between their reads. */
  steps: z.int(),
})

export type ThreadRecount = z.infer<typeof ThreadRecount>

export function findRecount(table: Table, postId: number): Promise<ThreadRecount | undefined> {
  return table.find(recountKey(postId), ThreadRecount)
}

/** Posts of which something is gone that still stands in lists. */
export async function listRecountsOfDeleted(table: Table): Promise<ThreadRecount[]> {
  return (await table.query({ pk: RECOUNT_PARTITION }, ThreadRecount)).filter(
    ({ gone }) => gone !== 'nothing',
  )
}
