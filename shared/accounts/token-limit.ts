// How many tokens an account may have, and which of them make room for one more. No I/O.
import type { Action } from '../table/action.ts'
import { tokenKey } from '../table/design.ts'
import type { Token } from './store/tokens.ts'

/** So that the list of them is always one answer, and a script that logs in each time fills nothing. */
export const MOST_TOKENS = 100

/** Where there are many too many they go in several steps: a transaction has a hundred actions. */
const MOST_AT_ONCE = 25

function lastUse({ last_used_at, created_at }: Token): number {
  return last_used_at ?? created_at
}

/** Removes, of those that may go, as many as are too many with one more: those first that were used longest ago. */
export function makeRoom(tokens: Token[], mayGo: (token: Token) => boolean): Action[] {
  const surplus = Math.max(0, tokens.length + 1 - MOST_TOKENS)
  return tokens
    .filter(mayGo)
    .toSorted((a, b) => lastUse(a) - lastUse(b))
    .slice(0, Math.min(surplus, MOST_AT_ONCE))
    .map(({ user_id, id }) => ({ Delete: { Key: tokenKey(user_id, id) } }))
}
