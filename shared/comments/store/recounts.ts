// Reads the markers of recounts that are under way.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { RECOUNT_PARTITION, recountKey } from '../../table/design.ts'

/** Which comments were deleted but may still be in lists: none, the orphans, or all comments of the post. */
export const DeletedPart = z.enum(['nothing', 'orphans', 'all'])
export type DeletedPart = z.infer<typeof DeletedPart>

export const ThreadRecount = z.object({
  post_id: z.int(),
  gone: DeletedPart,
  /** Of the newest change: batches for an older change stop. */
  stamp: z.string(),
  /** Raised by every batch, so that readers notice a batch between their reads. */
  steps: z.int(),
})
export type ThreadRecount = z.infer<typeof ThreadRecount>

export function findRecount(table: Table, postId: number): Promise<ThreadRecount | undefined> {
  return table.find(recountKey(postId), ThreadRecount)
}

/** Recounts of posts with comments that were deleted but may still be in lists. */
export async function listRecountsOfDeleted(table: Table): Promise<ThreadRecount[]> {
  return (await table.query({ pk: RECOUNT_PARTITION }, ThreadRecount)).filter(
    ({ gone }) => gone !== 'nothing',
  )
}
