// The record of a bearer token, and when it expires. No I/O.
import * as z from 'zod/mini'
import { ABILITIES, BUILDS_READ } from '../http/audience.ts'
import type { Settings } from '../site/settings.ts'

const nullableTime = z.nullable(z.number())

const StoredToken = z.object({
  id: z.int(),
  user_id: z.int(),
  name: z.string(),
  abilities: z.array(z.enum(ABILITIES)),
  secret_hash: z.string(),
  last_used_at: nullableTime,
  expires_at: nullableTime,
  created_at: z.number(),
  /** Issued by a login; a later login may delete it at the token limit. */
  by_login: z.optional(z.boolean()),
  /** The ability `builds:read`: a version that does not know it refuses a token with an unknown ability. */
  for_builds: z.optional(z.boolean()),
})

export const Token = z.pipe(
  StoredToken,
  z.transform(({ for_builds, abilities, ...token }) => ({
    ...token,
    abilities: for_builds ? [...abilities, BUILDS_READ] : abilities,
  })),
)
export type Token = z.infer<typeof Token>

/** The attributes of a token in the table. */
export function storedToken({ abilities, ...token }: Token): z.infer<typeof StoredToken> {
  const others = abilities.filter(ability => ability !== BUILDS_READ)
  return { ...token, abilities: others, ...(isForBuilds({ abilities }) && { for_builds: true }) }
}

export function isForBuilds({ abilities }: Pick<Token, 'abilities'>): boolean {
  return abilities.includes(BUILDS_READ)
}

/** In epoch seconds. `auth.token_lifetime_minutes` counts from creation and applies to existing tokens. */
export function expiryOf({ created_at, expires_at }: Token, settings?: Settings): number | null {
  const minutes = settings?.['auth.token_lifetime_minutes'] ?? null
  const bySetting = minutes === null ? null : created_at + minutes * 60
  if (expires_at === null || bySetting === null) return expires_at ?? bySetting
  return Math.min(expires_at, bySetting)
}

export function isExpired(token: Token, nowSeconds: number, settings?: Settings): boolean {
  const expiry = expiryOf(token, settings)
  return expiry !== null && expiry <= nowSeconds
}
