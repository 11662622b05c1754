// The public profile of a user, as posts, comments and tickets show it. No I/O.
import * as z from 'zod/mini'

export const Author = z.object({ id: z.int(), name: z.string(), avatar: z.nullable(z.string()) })
export type Author = z.infer<typeof Author>

/** Shown in place of a user who was erased. */
export const DELETED_USER = 'Deleted user'

/** The name of a user; an erased one has no profile. */
export function nameOf(author: Pick<Author, 'name'> | undefined): string {
  return author?.name ?? DELETED_USER
}
