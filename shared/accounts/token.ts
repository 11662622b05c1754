// Bearer tokens: the record, when it expires and leaves, and the text with its secret. No I/O.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import * as z from 'zod/mini'
import { ABILITIES, type Ability } from '../http/audience.ts'
import { knownOf } from '../http/members.ts'
import { LAST_SECOND } from '../http/time.ts'
import type { Settings } from '../site/settings.ts'
import { sha256 } from '../table/design.ts'

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

/** Keeps the list in one answer, and scripts that log in each time from filling the table. */
export const MAX_TOKENS = 100

/** The caller of an endpoint: a user, and the token of the request. */
export type Actor = {
  userId: number
  tokenId: number
  abilities: Ability[]
}

const PREFIX = 'hcs'
/** Public reads look for a token only if its text begins so: all others cost them nothing. */
const BUILDS_PREFIX = 'hcb'
const TOKEN = /^(hc[sb])_([1-9]\d{0,14})_([1-9]\d{0,14})_([\w-]{43})$/

/** 32 random bytes as 43 characters. */
export function newTokenSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What a client presents. It may be forged. */
export type PresentedToken = { userId: number; tokenId: number; secret: string; isForBuilds: boolean }

/** The token as its owner sees it. It contains both ids, so that one read fetches user and token. */
export function tokenText({ userId, tokenId, secret, isForBuilds }: PresentedToken): string {
  return `${isForBuilds ? BUILDS_PREFIX : PREFIX}_${userId}_${tokenId}_${secret}`
}

export function parseToken(text: string): PresentedToken | undefined {
  const [, prefix, userId, tokenId, secret] = TOKEN.exec(text) ?? []
  if (secret === undefined) return undefined
  return {
    userId: Number(userId),
    tokenId: Number(tokenId),
    secret,
    isForBuilds: prefix === BUILDS_PREFIX,
  }
}

/** The secret is long and random, so an unsalted fast hash is enough. */
export function hashSecret(secret: string): string {
  return sha256(secret)
}

export function verifySecret(secret: string, storedHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(secret), 'hex'), Buffer.from(storedHash, 'hex'))
}
