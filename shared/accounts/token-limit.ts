// How many tokens an account may have, and which are deleted for a new one. No I/O.
import type { Token, UsedToken } from './token.ts'

/** Keeps the list in one answer, and scripts that log in each time from filling the table. */
export const MAX_TOKENS = 100

/** A transaction holds a hundred actions, so a larger surplus is deleted by several logins. */
const MAX_AT_ONCE = 25

function lastUse({ last_used_at, created_at }: UsedToken): number {
  return last_used_at ?? created_at
}

/** The removable tokens to delete so that one more fits: the least recently used first. */
export function oldestToRevoke(tokens: UsedToken[], isRemovable: (token: Token) => boolean): Token[] {
  const surplus = Math.max(0, tokens.length + 1 - MAX_TOKENS)
  return tokens
    .filter(isRemovable)
    .toSorted((a, b) => lastUse(a) - lastUse(b))
    .slice(0, Math.min(surplus, MAX_AT_ONCE))
}
