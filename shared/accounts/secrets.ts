// The text of bearer tokens, and the hash of their secret, which is all that is stored.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const PREFIX = 'hcs'
const TOKEN = /^hcs_([1-9]\d{0,14})_([1-9]\d{0,14})_([\w-]{43})$/

/** 32 random bytes as 43 characters. */
export function newTokenSecret(): string {
  return randomBytes(32).toString('base64url')
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Public reads look for a token only if its secret is marked, so that all others cost them nothing. The mark
 * is in the last digit, of which 32 bytes leave two bits unused.
 */
export function markedForBuilds(secret: string): string {
  const last = DIGITS.indexOf(secret.slice(-1))
  return `${secret.slice(0, -1)}${DIGITS[last + 1] ?? ''}`
}

export function isMarkedForBuilds(secret: string): boolean {
  return Buffer.from(secret, 'base64url').toString('base64url') !== secret
}

/** The token as its owner sees it. It contains both ids, so that one read fetches user and token. */
export function tokenText(userId: number, tokenId: number, secret: string): string {
  return `${PREFIX}_${userId}_${tokenId}_${secret}`
}

export function parseToken(text: string): { userId: number; tokenId: number; secret: string } | undefined {
  const [, userId, tokenId, secret] = TOKEN.exec(text) ?? []
  return secret === undefined ? undefined : { userId: Number(userId), tokenId: Number(tokenId), secret }
}

/** The secret is long and random, so an unsalted fast hash is enough. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

export function verifySecret(secret: string, storedHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(secret), 'hex'), Buffer.from(storedHash, 'hex'))
}
