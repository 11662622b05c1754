// How many tokens an account may have, and which of them make room for one more. No I/O.
import type { Token } from './token.ts'

/** So that the list of them is always one answer, and a script that logs in each time fills nothing. */
export const MOST_TOKENS = 100

/** Where there are many too many they go in several steps: a transaction has a hundred actions. */
const MOST_AT_ONCE = 25

function lastUse({ last_used_at, created_at }: Token): number {
  return last_used_at ?? created_at
}

/** The removable tokens to delete so that one more fits: the least recently used first. */
export function oldestToRevoke(tokens: Token[], isRemovable: (token: Token) => boolean): Token[] {
  const surplus = Math.max(0, tokens.length + 1 - MOST_TOKENS)
  return tokens
    .filter(isRemovable)
    .toSorted((a, b) => lastUse(a) - lastUse(b))
    .slice(0, Math.min(surplus, MOST_AT_ONCE))
}
