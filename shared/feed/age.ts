// How long changes are kept.

/** How long a cursor holds. */
export const CURSOR_SECONDS = 30 * 86_400
/** A day longer, since the clocks of writer and reader differ. */
export const KEPT_SECONDS = CURSOR_SECONDS + 86_400
