// Checks what an input refers to: the slug must be free, the categories and the author must exist.
import { type Fields, invalid } from '../../http/errors.ts'
import { SLUG_FAULT } from '../../slugs/reserve.ts'
import type { PostChange } from '../fields.ts'
import type { PostReferences } from '../store/references.ts'

/** Throws VALIDATION_ERROR with all faults together. `postId` is null for a new post. */
export function checkReferences(change: PostChange, references: PostReferences, postId: number | null): void {
  const ids = new Set(references.categories.map(({ id }) => id))
  const missing = (change.category_ids ?? []).flatMap((id, n) =>
    ids.has(id) ? [] : [[`category_ids.${n}`, ['Does not exist.']] as const],
  )
  const faults: Fields = {
    ...(references.slugOwner !== undefined && references.slugOwner !== postId && SLUG_FAULT),
    ...(isUnknownAuthor(change, references) && { author_id: ['Does not exist.'] }),
    ...Object.fromEntries(missing),
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}

function isUnknownAuthor({ author_id }: PostChange, { authors }: PostReferences): boolean {
  return author_id !== undefined && !authors.has(author_id)
}
