// The record of a bearer token, and when it expires. No I/O.
import * as z from 'zod/mini'
import { knownOf } from '../http/array.ts'
import { ABILITIES, type Ability } from '../http/audience.ts'
import { LAST_SECOND } from '../http/time.ts'
import type { Settings } from '../site/settings.ts'

export const Token = z.object({
  id: z.int(),
  user_id: z.int(),
  name: z.string(),
  /** Perhaps with others of a newer version. */
  abilities: z.array(z.string()),
  secret_hash: z.string(),
  expires_at: z.nullable(z.number()),
  created_at: z.number(),
  /** Issued by a login; a later login may delete it at the token limit. */
  by_login: z.optional(z.boolean()),
})
export type Token = z.infer<typeof Token>

/** `last_used_at`: in epoch seconds, at most an hour late; null if it was not used for a year. */
export type UsedToken = Token & { last_used_at: number | null }

/** All abilities of a token that this version knows. */
export function abilitiesOf({ abilities }: Token): Ability[] {
  return knownOf(ABILITIES, abilities)
}

/** In epoch seconds. `auth.token_lifetime_minutes` counts from creation and applies to existing tokens. */
export function expiryOf({ created_at, expires_at }: Token, settings?: Settings): number | null {
  const minutes = settings?.['auth.token_lifetime_minutes'] ?? null
  const bySetting = minutes === null ? null : Math.min(created_at + minutes * 60, LAST_SECOND)
  if (expires_at === null || bySetting === null) return expires_at ?? bySetting
  return Math.min(expires_at, bySetting)
}

export function isExpired(token: Token, nowSeconds: number, settings?: Settings): boolean {
  const expiry = expiryOf(token, settings)
  return expiry !== null && expiry <= nowSeconds
}
