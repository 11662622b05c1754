// A row of the feed: which public content a transaction has changed, and since when readers may know it.
import * as z from 'zod/mini'

const Type = z.lazy(() => z.enum(['post', 'page']))

const PostNote = z.lazy(() =>
  z.object({
    kind: z.literal('post'),
    id: z.int(),
    /** As what the post is published after the change. Missing for a draft and a deleted post. */
    type: z.optional(Type),
    /** As what it was published before the change, and under which slug. */
    was: z.optional(z.object({ type: Type, slug: z.string() })),
    /** The categories whose counts the change moves. */
    counted: z.array(z.int()),
  }),
)
export type PostNote = z.infer<typeof PostNote>

const CategoryNote = z.lazy(() =>
  z.object({
    kind: z.literal('category'),
    id: z.int(),
    /** Before the change; of a new category its first one. */
    slug: z.string(),
  }),
)

const Note = z.lazy(() =>
  z.union([
    PostNote,
    CategoryNote,
    z.object({ kind: z.literal('settings') }),
    z.object({ kind: z.literal('menu'), location: z.string() }),
    /** Anything may have changed. */
    z.object({ kind: z.literal('all') }),
  ]),
)
export type Note = z.infer<typeof Note>

export const ChangeRow = z.lazy(() =>
  z.object({
    place: z.int(),
    /** When it was written, by the clock of its writer. */
    at_ms: z.int(),
    notes: z.array(Note),
    expires: z.int(),
  }),
)
export type ChangeRow = z.infer<typeof ChangeRow>

/** How long a cursor holds. */
export const CURSOR_SECONDS = 30 * 86_400
/** Longer, since a cursor is dated by its day, and the clocks of writer and reader differ. */
export const KEPT_SECONDS = CURSOR_SECONDS + 2 * 86_400

/** A writer that gets ahead of others by some hundred places is still ahead of no clock. */
export const PLACES_PER_MS = 1_000
