// How long changes are kept, and how their places follow the time.

/** How long a cursor holds. */
export const CURSOR_SECONDS = 30 * 86_400
/** A day longer, since the clocks of writer and reader differ. */
export const KEPT_SECONDS = CURSOR_SECONDS + 86_400

/** A writer that gets ahead of others by some hundred places is still ahead of no clock. */
export const PLACES_PER_MS = 1_000
